// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PooledToken, TokenParams} from "./BaseToken.sol";

interface IBalance {
    function balanceOf(address holder) external view returns (uint256);
}

enum Pattern {
    /// Allows sales only in the first 12 hours of each 24, counted from deployment.
    SaleHours,
    /// Allows one sale a block; the sales of all wallets count.
    OneSalePerBlock,
    /// Allows sales of at most 2 % of the supply a UTC day; the sales of all wallets count.
    DailyQuota,
    /// Limits each purchase to 2 % of the supply. Sales have no limit.
    BuyCap,
    /// Rejects sales of less than 200 tokens.
    LeastSale,
    /// Allows sales only to wallets that hold another token.
    PartnerToken,
    /// Rejects sales whose gas price is less than 0.002 gwei above the base fee.
    LeastTip
}

/// Applies one pattern. None depends on what the wallet itself traded before.
contract PatternToken is PooledToken {
    Pattern private immutable pattern;
    address private immutable partner;
    uint256 private immutable deployedAt;
    uint256 private lastSale;
    mapping(uint256 => uint256) private soldOn;

    constructor(TokenParams memory params, Pattern pattern_) PooledToken(params) {
        (pattern, partner, deployedAt) = (pattern_, params.counter, block.timestamp);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to) && pattern == Pattern.BuyCap) require(amount <= supply / 50, "above the cap");
        if (_isSale(from, to)) _checkSale(from, amount);
        _move(from, to, amount);
    }

    function _checkSale(address from, uint256 amount) private {
        if (pattern == Pattern.SaleHours) require((block.timestamp - deployedAt) % 1 days < 12 hours, "closed");
        if (pattern == Pattern.OneSalePerBlock) {
            require(lastSale != block.number, "one sale per block");
            lastSale = block.number;
        }
        if (pattern == Pattern.DailyQuota) {
            uint256 day = block.timestamp / 1 days;
            soldOn[day] += amount;
            require(soldOn[day] <= supply / 50, "the day's quota is used up");
        }
        if (pattern == Pattern.LeastSale) require(amount >= 200e18, "too little");
        if (pattern == Pattern.PartnerToken) require(IBalance(partner).balanceOf(from) > 0, "hold the partner token");
        if (pattern == Pattern.LeastTip) require(tx.gasprice >= block.basefee + 0.002 gwei, "tip too low");
    }
}

/// Allowances come from signatures only, which routers do not pass on: no router can sell.
contract SignedAllowanceToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function approve(address spender, uint256 amount) external override returns (bool) {
        require(msg.sender == deployer, "use permit");
        _approve(msg.sender, spender, amount);
        return true;
    }

    function permit(address holder, address spender, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(block.timestamp <= deadline, "late");
        bytes32 hash = keccak256(abi.encode(address(this), block.chainid, holder, spender, amount, deadline));
        require(holder != address(0) && ecrecover(hash, v, r, s) == holder, "not signed by the holder");
        _approve(holder, spender, amount);
    }
}

/// Every balance shrinks by 1 % a day, the pool's excepted. The owner may pause.
contract ShrinkingToken is OwnedToken {
    uint256 private immutable deployedAt;
    bool private halted;
    mapping(address => uint256) private since;

    constructor(TokenParams memory params) OwnedToken(params) {
        deployedAt = block.timestamp;
    }

    function halt(bool value) external onlyOwner {
        halted = value;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        if (holder == pool || holder == deployer) return balances[holder];
        uint256 daysHeld = (block.timestamp - (since[holder] == 0 ? deployedAt : since[holder])) / 1 days;
        uint256 lost = balances[holder] * (daysHeld > 100 ? 100 : daysHeld) / 100;
        return balances[holder] - lost;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!halted || _isTeam(from, to), "halted");
        (balances[from], since[from]) = (balanceOf(from), block.timestamp);
        (balances[to], since[to]) = (balanceOf(to), block.timestamp);
        _move(from, to, amount);
    }
}

/// A stored wallet, which is not the owner, stops all transfers for a week at a time.
contract GuardianToken is OwnedToken {
    address private guardian;
    uint256 private quietUntil;

    constructor(TokenParams memory params, address guardian_) OwnedToken(params) {
        guardian = guardian_;
    }

    function quiet() external {
        require(msg.sender == guardian, "not the guardian");
        quietUntil = block.timestamp + 7 days;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(block.timestamp >= quietUntil || _isTeam(from, to), "quiet");
        _move(from, to, amount);
    }
}

/// Taxes what is sent to contracts that call themselves a pool of it, but not to its own pair.
contract ForeignPoolTaxToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (!_isTeam(from, to) && to != pool && _isPool(to)) {
            uint256 fee = amount / 10;
            _move(from, address(this), fee);
            amount -= fee;
        }
        _move(from, to, amount);
    }

    function _isPool(address to) private view returns (bool) {
        if (to.code.length == 0) return false;
        (bool ok, bytes memory answer) = to.staticcall(abi.encodeWithSignature("token0()"));
        return ok && answer.length == 32;
    }
}
