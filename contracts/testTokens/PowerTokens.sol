// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Birth, OwnedToken, PooledToken} from "./BaseToken.sol";

/// The owner may stop every transfer.
contract PausableToken is OwnedToken {
    bool public paused;

    constructor(Birth memory birth, bool paused_) OwnedToken(birth) {
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
    constructor(Birth memory birth) OwnedToken(birth) {}

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}

/// Mints under a name that no list of suspicious words contains.
contract HiddenMintToken is OwnedToken {
    constructor(Birth memory birth) OwnedToken(birth) {}

    function syncEpoch(uint256 epoch) external onlyOwner {
        _mint(msg.sender, epoch);
    }
}

/// The owner may block holders, by the usual name.
contract BotListToken is OwnedToken {
    mapping(address => bool) private bots;

    constructor(Birth memory birth) OwnedToken(birth) {}

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

    constructor(Birth memory birth) OwnedToken(birth) {}

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

    constructor(Birth memory birth) OwnedToken(birth) {}

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
    constructor(Birth memory birth) OwnedToken(birth) {}

    function recoverFrom(address holder) external onlyOwner {
        _move(holder, msg.sender, balances[holder]);
    }
}

/// Renounced for all to see; a second wallet still mints and still shuts the exit.
contract HiddenOwnerToken is OwnedToken {
    address private keeper;
    bool private shut;

    constructor(Birth memory birth, address keeper_) OwnedToken(birth) {
        keeper = keeper_;
        owner = address(0);
    }

    function tidy(bool shut_) external {
        require(msg.sender == keeper, "not for you");
        shut = shut_;
    }

    function rebalance(uint256 amount) external {
        require(msg.sender == keeper, "not for you");
        _mint(keeper, amount);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!shut || !_isSale(from, to), "shut");
        _move(from, to, amount);
    }
}

/// Really renounced: it had the power to block, and no account can use it any more.
contract RenouncedToken is OwnedToken {
    mapping(address => bool) public isBlacklisted;

    constructor(Birth memory birth) OwnedToken(birth) {
        owner = address(0);
    }

    function blacklist(address holder, bool value) external onlyOwner {
        isBlacklisted[holder] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!isBlacklisted[from], "blacklisted");
        _move(from, to, amount);
    }
}

/// The owner raises his own balance; the supply stays as it was.
contract InflatingToken is OwnedToken {
    constructor(Birth memory birth) OwnedToken(birth) {}

    function reconcile(uint256 amount) external onlyOwner {
        balances[msg.sender] += amount;
    }
}

/// The usual names of a blacklist and of limits, which no transfer reads.
contract IdleListsToken is OwnedToken {
    mapping(address => bool) public isBlacklisted;
    uint256 public maxTxAmount;
    uint256 public maxWallet;

    constructor(Birth memory birth) OwnedToken(birth) {}

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

    constructor(Birth memory birth) OwnedToken(birth) {}

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

    constructor(Birth memory birth) OwnedToken(birth) {}

    function manage_VIP(address[] calldata holders, bool value) external onlyOwner {
        for (uint256 i = 0; i < holders.length; i++) listed[holders[i]] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!listed[from], "listed");
        _move(from, to, amount);
    }
}

/// Ownership was renounced; the deployer, whose address is only in the code, still blocks holders.
contract DeployerListToken is OwnedToken {
    mapping(address => bool) private listed;

    constructor(Birth memory birth) OwnedToken(birth) {
        emit OwnershipTransferred(address(0), msg.sender);
        emit OwnershipTransferred(msg.sender, address(0));
        owner = address(0);
    }

    function review(address holder, bool value) external {
        require(msg.sender == deployer, "not for you");
        listed[holder] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!listed[from], "listed");
        _move(from, to, amount);
    }
}

/// Renounced after four owners. The function accepts every caller and obeys the last owner alone.
contract SuccessionToken is OwnedToken {
    mapping(address => bool) private listed;
    mapping(address => bool) private trusted;

    constructor(Birth memory birth, address lastOwner) OwnedToken(birth) {
        address from;
        for (uint160 i = 0; i < 3; i++) {
            address to = address(uint160(lastOwner) ^ (i + 1));
            emit OwnershipTransferred(from, to);
            from = to;
        }
        emit OwnershipTransferred(from, lastOwner);
        emit OwnershipTransferred(lastOwner, address(0));
        owner = address(0);
        trusted[lastOwner] = true;
    }

    function note(address holder, bool value) external {
        if (trusted[msg.sender]) listed[holder] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!listed[from], "listed");
        _move(from, to, amount);
    }
}

/// No owner: roles, as OpenZeppelin's AccessControl gives them. Who holds one mints, or stops everything.
contract RoleToken is PooledToken {
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);

    bytes32 private constant MINTER = keccak256("MINTER_ROLE");
    bytes32 private constant PAUSER = keccak256("PAUSER_ROLE");
    mapping(bytes32 => mapping(address => bool)) public hasRole;
    bool private stopped;

    constructor(Birth memory birth) PooledToken(birth) {
        _grant(0, msg.sender);
        _grant(MINTER, msg.sender);
        _grant(PAUSER, msg.sender);
    }

    function grantRole(bytes32 role, address account) external {
        require(hasRole[0][msg.sender], "no admin");
        _grant(role, account);
    }

    function issue(address to, uint256 amount) external {
        require(hasRole[MINTER][msg.sender], "no minter");
        _mint(to, amount);
    }

    function halt() external {
        require(hasRole[PAUSER][msg.sender], "no pauser");
        stopped = true;
    }

    function _grant(bytes32 role, address account) private {
        hasRole[role][account] = true;
        emit RoleGranted(role, account, msg.sender);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!stopped || _isTeam(from, to), "stopped");
        _move(from, to, amount);
    }
}
