// Whoever calls Kith needs its methods and their values, the texts and ids in these, and the reasons of refusals; so that
// `import KithClient` is enough.
@_exported import API
@_exported import Accounts
@_exported import JSONRPC
