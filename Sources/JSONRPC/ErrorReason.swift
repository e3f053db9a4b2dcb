/// Why a call is not answered with a result: what programs match on. The raw value is the word on the wire.
public enum ErrorReason: String, Sendable, CaseIterable {
  // JSON-RPC's own.
  case parseError = "parse_error"
  case invalidRequest = "invalid_request"
  case methodNotFound = "method_not_found"
  case invalidParams = "invalid_params"
  case `internal` = "internal"

  // Not found.
  case notFound = "not_found"
  case userErased = "user_erased"

  // Conflict.
  case identityLinkedElsewhere = "identity_linked_elsewhere"
  case emailTaken = "email_taken"
  case credentialExists = "credential_exists"
  case planStale = "plan_stale"
  case mergeSuperseded = "merge_superseded"
  case requestKeyReused = "request_key_reused"
  case inProgress = "in_progress"

  // Refused.
  case userDisabled = "user_disabled"
  case lastSignInMethod = "last_sign_in_method"
  case linkForbidden = "link_forbidden"
  case challengeExpired = "challenge_expired"
  case challengeUsed = "challenge_used"
  case challengeMismatch = "challenge_mismatch"
  case proofRejected = "proof_rejected"

  // Not allowed.
  case callerUnknown = "caller_unknown"
  case methodForbidden = "method_forbidden"
  case namespaceUnknown = "namespace_unknown"

  // Limits.
  case tooLarge = "too_large"
  case tooMany = "too_many"
  case rateLimited = "rate_limited"

  // Try again.
  case databaseUnavailable = "database_unavailable"
  case storageFull = "storage_full"
  case shuttingDown = "shutting_down"

  // Evidence.
  case tokenMalformed = "token_malformed"
  case signatureInvalid = "signature_invalid"
  case algNotAllowed = "alg_not_allowed"
  case unknownKey = "unknown_key"
  case issuerMismatch = "issuer_mismatch"
  case audienceMismatch = "audience_mismatch"
  case tokenExpired = "token_expired"
  case tokenNotYetValid = "token_not_yet_valid"
  case nonceMismatch = "nonce_mismatch"
  case stateMismatch = "state_mismatch"
  case userCancelled = "user_cancelled"
  case passwordWrong = "password_wrong"

  // Provider.
  case invalidGrant = "invalid_grant"
  case invalidClient = "invalid_client"
  case insufficientScope = "insufficient_scope"
  case tokenInvalid = "token_invalid"
  case temporarilyUnavailable = "temporarily_unavailable"
  case providerMisconfigured = "provider_misconfigured"
  case providerResponseInvalid = "provider_response_invalid"
}

extension ErrorReason {
  /// The number of the reason's group.
  public var code: Int {
    switch self {
    case .parseError: -32700
    case .invalidRequest: -32600
    case .methodNotFound: -32601
    case .invalidParams: -32602
    case .internal: -32603
    case .notFound, .userErased: 1000
    case .identityLinkedElsewhere, .emailTaken, .credentialExists, .planStale, .mergeSuperseded, .requestKeyReused,
      .inProgress:
      1001
    case .userDisabled, .lastSignInMethod, .linkForbidden, .challengeExpired, .challengeUsed, .challengeMismatch,
      .proofRejected:
      1002
    case .callerUnknown, .methodForbidden, .namespaceUnknown: 1003
    case .tooLarge, .tooMany, .rateLimited: 1004
    case .databaseUnavailable, .storageFull, .shuttingDown: 1005
    case .tokenMalformed, .signatureInvalid, .algNotAllowed, .unknownKey, .issuerMismatch, .audienceMismatch,
      .tokenExpired, .tokenNotYetValid, .nonceMismatch, .stateMismatch, .userCancelled, .passwordWrong:
      1006
    case .invalidGrant, .invalidClient, .insufficientScope, .tokenInvalid, .temporarilyUnavailable,
      .providerMisconfigured, .providerResponseInvalid:
      1007
    }
  }

  /// Whether the same call may succeed a little later without anything else being done.
  public var isRetryable: Bool {
    switch self {
    case .databaseUnavailable, .storageFull, .shuttingDown, .inProgress, .rateLimited, .temporarilyUnavailable: true
    default: false
    }
  }

  /// The sentence for a person where nothing more particular is known.
  public var message: String {
    switch self {
    case .parseError: "The message is not valid JSON."
    case .invalidRequest: "The message is JSON, but not a valid JSON-RPC 2.0 call."
    case .methodNotFound: "There is no such method."
    case .invalidParams: "The parameters are not what the method takes."
    case .internal: "Something went wrong inside the daemon; its journal tells more under this request id."
    case .notFound: "Nothing was found."
    case .userErased: "The user was erased."
    case .identityLinkedElsewhere: "The identity belongs to another user."
    case .emailTaken: "Another user holds the e-mail address as verified."
    case .credentialExists: "There is a credential with this access group, account and service already."
    case .planStale: "What the plan was made from has changed since."
    case .mergeSuperseded: "A later merge of one of these users must be undone first."
    case .requestKeyReused: "The request key was used before with other parameters."
    case .inProgress: "The first call with this request key is still running."
    case .userDisabled: "The user is disabled."
    case .lastSignInMethod: "The user would be left without a way to sign in."
    case .linkForbidden: "The identity may not be linked to this user."
    case .challengeExpired: "The challenge has expired."
    case .challengeUsed: "The challenge was used already, or used up by wrong proofs."
    case .challengeMismatch: "The challenge is another caller's, or the account has changed since it was made."
    case .proofRejected: "The proof does not show that the user agrees."
    case .callerUnknown: "The caller is not one the configuration knows."
    case .methodForbidden: "The caller may not use this method."
    case .namespaceUnknown: "The provider or tenant is not configured."
    case .tooLarge: "The message is larger than allowed."
    case .tooMany: "There are more of these than allowed."
    case .rateLimited: "There were too many calls in a short time."
    case .databaseUnavailable: "The database cannot be reached."
    case .storageFull: "The database has no room left."
    case .shuttingDown: "The daemon is stopping."
    case .tokenMalformed: "The token is not well formed."
    case .signatureInvalid: "The signature of the token is not valid."
    case .algNotAllowed: "The token is signed in a way that is not allowed."
    case .unknownKey: "The token is signed with a key that the provider does not publish."
    case .issuerMismatch: "The token was issued by somebody else."
    case .audienceMismatch: "The token was issued for another client."
    case .tokenExpired: "The token has expired."
    case .tokenNotYetValid: "The token is not valid yet."
    case .nonceMismatch: "The token was issued for another sign-in."
    case .stateMismatch: "The callback belongs to another sign-in."
    case .userCancelled: "The person cancelled the sign-in."
    case .passwordWrong: "The login or the password is wrong."
    case .invalidGrant: "The provider does not accept the code or token."
    case .invalidClient: "The provider does not accept the client."
    case .insufficientScope: "The provider's token does not allow this."
    case .tokenInvalid: "The provider's token is no longer valid."
    case .temporarilyUnavailable: "The provider cannot answer at the moment."
    case .providerMisconfigured: "The provider is not configured completely."
    case .providerResponseInvalid: "The provider's answer could not be understood."
    }
  }
}
