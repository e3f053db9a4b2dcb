// UnixSocket
