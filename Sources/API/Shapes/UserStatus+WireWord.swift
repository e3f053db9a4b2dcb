import Accounts

extension UserStatus: WireWord {}
