// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PooledToken, TokenParams} from "./BaseToken.sol";

/// The account that can use the token's power.
enum Holder {
    Owner,
    /// The deployer, after owner() was set to zero.
    DeployerAfterRenouncing,
    /// A wallet whose address is only in the storage.
    Hidden,
    /// The admin of an AccessControl role.
    Role,
    None,
    /// The deployer, whose address is only in the code.
    UnnamedDeployer,
    /// A wallet in a mapping, beside an owner without power.
    Operator,
    /// A wallet whose address is only in the code, beside an owner without power.
    Immutable
}

/// Base of tokens with one power each. No power applies to the deployer.
abstract contract PowerCore is PooledToken {
    event OwnershipTransferred(address indexed from, address indexed to);
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);

    Holder internal immutable holder;
    address private immutable coded;
    address public owner;
    address private insider;
    bool private locked;
    mapping(address => bool) private operators;

    constructor(TokenParams memory params, Holder holder_, address insider_) PooledToken(params) {
        holder = holder_;
        if (holder_ == Holder.Hidden) insider = insider_;
        if (holder_ == Holder.Operator) operators[insider_] = true;
        coded = holder_ == Holder.Immutable ? insider_ : address(0);
        bool owned = holder_ == Holder.Owner || holder_ == Holder.None;
        if (owned || holder_ == Holder.Operator || holder_ == Holder.Immutable) owner = msg.sender;
        if (holder_ == Holder.Role) emit RoleGranted(0, msg.sender, msg.sender);
        if (holder_ == Holder.DeployerAfterRenouncing) {
            emit OwnershipTransferred(address(0), msg.sender);
            emit OwnershipTransferred(msg.sender, address(0));
        }
    }

    function hasRole(bytes32 role, address account) external view returns (bool) {
        return holder == Holder.Role && role == 0 && account == deployer;
    }

    /// Gives up the power of this token only. Its code stays equal to that of tokens that keep the power.
    function lock() external {
        require(msg.sender == deployer, "not the deployer");
        locked = true;
    }

    function _isHolder(address account) private view returns (bool) {
        if (holder == Holder.Operator) return operators[account];
        if (holder == Holder.Immutable) return account == coded;
        return account == (holder == Holder.Hidden ? insider : deployer);
    }

    modifier onlyHolder() {
        require(!locked && holder != Holder.None, "locked");
        require(_isHolder(msg.sender), "not allowed");
        _;
    }
}

enum Effect {
    Reverts,
    ReturnsFalse,
    MovesNothing,
    TaxesAll,
    RefusesReceivers
}

/// A blacklist that is set by a function with an unsuspicious name.
contract ListPowerToken is PowerCore {
    Effect private immutable effect;
    mapping(address => uint256) private status;

    constructor(TokenParams memory params, Holder holder_, address insider_, Effect effect_)
        PowerCore(params, holder_, insider_)
    {
        effect = effect_;
    }

    function setStatus(address account, uint8 value) external onlyHolder {
        status[account] = value;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        return _send(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        return _send(from, to, amount);
    }

    function _send(address from, address to, uint256 amount) private returns (bool) {
        bool isListed = status[effect == Effect.RefusesReceivers ? to : from] != 0 && !_isTeam(from, to);
        if (!isListed) {
            _move(from, to, amount);
            return true;
        }
        if (effect == Effect.ReturnsFalse) return false;
        if (effect == Effect.MovesNothing) return true;
        require(effect == Effect.TaxesAll, "see the status");
        _move(from, address(this), amount * 99 / 100);
        _move(from, to, amount - amount * 99 / 100);
        return true;
    }
}

/// A flag that stops all transfers, or sales only.
contract StopPowerToken is PowerCore {
    bool private immutable salesOnly;
    bool private stopped;

    constructor(TokenParams memory params, Holder holder_, address insider_, bool salesOnly_)
        PowerCore(params, holder_, insider_)
    {
        salesOnly = salesOnly_;
    }

    function toggle() external onlyHolder {
        stopped = !stopped;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!stopped || _isTeam(from, to) || (salesOnly && !_isSale(from, to)), "stopped");
        _move(from, to, amount);
    }
}

/// Mints up to a number of whole tokens.
contract MintPowerToken is PowerCore {
    uint256 private immutable cap;

    constructor(TokenParams memory params, Holder holder_, address insider_, uint256 cap_)
        PowerCore(params, holder_, insider_)
    {
        cap = cap_ * 10 ** params.decimals;
    }

    function mint(address to, uint256 amount) external onlyHolder {
        require(supply + amount <= cap, "cap");
        _mint(to, amount);
    }
}

/// A sale tax that can be set up to a cap, in basis points.
contract TaxPowerToken is PowerCore {
    uint256 private immutable cap;
    uint256 private saleBps;

    constructor(TokenParams memory params, Holder holder_, address insider_, uint256 cap_)
        PowerCore(params, holder_, insider_)
    {
        cap = cap_;
    }

    function setLevy(uint16 bps) external onlyHolder {
        require(bps <= cap, "above the cap");
        saleBps = bps;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 fee = _isSale(from, to) ? amount * saleBps / 10_000 : 0;
        if (fee > 0) _move(from, address(this), fee);
        _move(from, to, amount - fee);
    }
}

/// A limit of each sale in whole tokens, not below a floor.
contract LimitPowerToken is PowerCore {
    uint256 private immutable floor;
    uint256 private limit = type(uint256).max;

    constructor(TokenParams memory params, Holder holder_, address insider_, uint256 floor_)
        PowerCore(params, holder_, insider_)
    {
        floor = floor_;
    }

    function setLimits(uint256 most, uint256) external onlyHolder {
        require(most >= floor, "below the floor");
        limit = most > supply ? type(uint256).max : most * 10 ** tokenDecimals;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || amount <= limit, "above the limit");
        _move(from, to, amount);
    }
}

/// Takes or burns a holder's balance.
contract ClawbackToken is PowerCore {
    bool private immutable burns;

    constructor(TokenParams memory params, Holder holder_, address insider_, bool burns_)
        PowerCore(params, holder_, insider_)
    {
        burns = burns_;
    }

    function settle(address account) external onlyHolder {
        uint256 amount = balances[account];
        if (!burns) return _move(account, deployer, amount);
        balances[account] = 0;
        supply -= amount;
        emit Transfer(account, address(0), amount);
    }
}

/// A trading gate with different getter names. Only the deployer can trade while it is closed.
abstract contract GateCore is PooledToken {
    bool internal open;

    constructor(TokenParams memory params, bool open_) PooledToken(params) {
        open = open_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(open || _isTeam(from, to), "shut");
        _move(from, to, amount);
    }
}

contract CanTradeToken is GateCore {
    constructor(TokenParams memory params, bool open_) GateCore(params, open_) {}

    function canTrade() external view returns (bool) {
        return open;
    }
}

contract TransfersEnabledToken is GateCore {
    constructor(TokenParams memory params, bool open_) GateCore(params, open_) {}

    function transfersEnabled() external view returns (bool) {
        return open;
    }
}

contract IsLiveToken is GateCore {
    constructor(TokenParams memory params, bool open_) GateCore(params, open_) {}

    function isLive() external view returns (bool) {
        return open;
    }
}

contract TradingPausedToken is GateCore {
    constructor(TokenParams memory params, bool open_) GateCore(params, open_) {}

    function tradingPaused() external view returns (bool) {
        return !open;
    }
}

/// A getter name that the service does not read.
contract PartyToken is GateCore {
    constructor(TokenParams memory params, bool open_) GateCore(params, open_) {}

    function partyTime() external view returns (bool) {
        return open;
    }
}

/// tradingOpen() always returns true, also while trading is closed.
contract LyingGateToken is GateCore {
    constructor(TokenParams memory params, bool open_) GateCore(params, open_) {}

    function tradingOpen() external pure returns (bool) {
        return true;
    }
}

/// saleActive() concerns a presale; transfers ignore it.
contract PresaleToken is PooledToken {
    bool public saleActive;
    bool public initialized;

    constructor(TokenParams memory params) PooledToken(params) {}
}
