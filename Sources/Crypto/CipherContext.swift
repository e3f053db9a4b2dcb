import CLibCrypto

/// One run of a cipher of libcrypto, freed (and its key schedule overwritten) with its owner.
struct CipherContext: ~Copyable {
  let pointer: OpaquePointer

  init() throws(CryptoError) {
    guard let pointer = EVP_CIPHER_CTX_new() else { throw .unavailable }
    self.pointer = pointer
  }

  deinit {
    EVP_CIPHER_CTX_free(pointer)
  }
}
