// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, TokenParams} from "./BaseToken.sol";

/// The owner can stop every transfer.
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

/// The owner can mint by a function with an unsuspicious name.
contract HiddenMintToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function syncEpoch(uint256 epoch) external onlyOwner {
        _mint(msg.sender, epoch);
    }
}

/// The owner can block holders by a function with a usual name.
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

/// The owner can block holders by a function with a harmless name.
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

/// The owner can block holders. Trading is disabled until the owner enables it permanently.
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

/// The owner can take any holder's balance.
contract SeizingToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function recoverFrom(address holder) external onlyOwner {
        _move(holder, msg.sender, balances[holder]);
    }
}

/// The owner can raise its own balance without changing the supply.
contract InflatingToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function reconcile(uint256 amount) external onlyOwner {
        balances[msg.sender] += amount;
    }
}

/// Has functions with the usual names of a blacklist and of limits, but transfers ignore them.
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

/// The owner can limit the amount of all other accounts' transfers, in whole tokens.
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

/// The owner can list wallets that cannot sell, by a function that is named like a privilege.
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
