// KithClient
