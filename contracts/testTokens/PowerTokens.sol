// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, TokenParams} from "./BaseToken.sol";

/// The owner may stop every transfer.
contract PausableToken is OwnedToken {
    bool public paused;

    constructor(TokenParams memory params, bool paused_) OwnedToken(params) {
        paused = paused_;
    }

    function pause() external onlyOwner {
        paused = true;
    }

    function unpause() external onlyOwner {
        paused = false;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!paused || _isTeam(from, to), "paused");
        _move(from, to, amount);
    }
}

contract MintableToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}

/// Mints under a name that no list of suspicious words contains.
contract HiddenMintToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function syncEpoch(uint256 epoch) external onlyOwner {
        _mint(msg.sender, epoch);
    }
}

/// The owner may block holders, by the usual name.
contract BotListToken is OwnedToken {
    mapping(address => bool) private bots;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setBots(address[] calldata holders, bool value) external onlyOwner {
        for (uint256 i = 0; i < holders.length; i++) bots[holders[i]] = value;
    }

    function isBot(address holder) external view returns (bool) {
        return bots[holder];
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!bots[from] && !bots[to], "bot");
        _move(from, to, amount);
    }
}

/// The same power behind a harmless name.
contract RegistryToken is OwnedToken {
    mapping(address => uint256) private registry;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function updateRegistry(address entry, uint256 value) external onlyOwner {
        registry[entry] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(registry[from] == 0, "see the registry");
        _move(from, to, amount);
    }
}

/// The same power, in a token whose trading is closed until the owner opens it once and for all.
contract OpeningRegistryToken is OwnedToken {
    bool public tradingOpen;
    mapping(address => uint256) private registry;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function openTrading() external onlyOwner {
        tradingOpen = true;
    }

    function updateRegistry(address entry, uint256 value) external onlyOwner {
        registry[entry] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(tradingOpen || _isTeam(from, to), "trading is closed");
        require(registry[from] == 0, "see the registry");
        _move(from, to, amount);
    }
}

/// The owner may take any holder's balance.
contract SeizingToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function recoverFrom(address holder) external onlyOwner {
        _move(holder, msg.sender, balances[holder]);
    }
}

/// The owner raises his own balance; the supply stays as it was.
contract InflatingToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function reconcile(uint256 amount) external onlyOwner {
        balances[msg.sender] += amount;
    }
}

/// The usual names of a blacklist and of limits, which no transfer reads.
contract IdleListsToken is OwnedToken {
    mapping(address => bool) public isBlacklisted;
    uint256 public maxTxAmount;
    uint256 public maxWallet;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function blacklist(address holder, bool value) external onlyOwner {
        isBlacklisted[holder] = value;
    }

    function setMaxTxAmount(uint256 amount) external onlyOwner {
        maxTxAmount = amount;
    }
}

/// The owner limits every transfer of the others, in whole tokens.
contract TransferLimitToken is OwnedToken {
    uint256 private limit = type(uint256).max;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setTxLimit(uint256 wholeTokens) external onlyOwner {
        limit = wholeTokens * 1e18;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(amount <= limit || _isTeam(from, to), "above the limit");
        _move(from, to, amount);
    }
}

/// The owner lists wallets that cannot sell, under the name of a privilege.
contract VipListToken is OwnedToken {
    mapping(address => bool) private listed;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function manage_VIP(address[] calldata holders, bool value) external onlyOwner {
        for (uint256 i = 0; i < holders.length; i++) listed[holders[i]] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!listed[from], "listed");
        _move(from, to, amount);
    }
}
