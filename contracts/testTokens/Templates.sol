// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, TokenParams} from "./BaseToken.sol";

/// Rules and owner functions that are usual in launch templates.
enum Template {
    /// Transfers need a listed sender or receiver. The owner can remove the pool from the list.
    ListedPools,
    /// Limits balances. The pool is exempt, until the owner changes that.
    ExemptPool,
    /// The owner gives holders a status; that of number 3 cannot sell.
    Status,
    /// The owner locks a holder until a time in 32 bits.
    LockUntil,
    /// 95 % of a purchase are released over 30 days.
    Vesting,
    /// Takes half of a sale by a contract.
    ContractTax,
    /// Takes 90 % of a purchase at more than 10 gwei.
    GasTax,
    /// No rule.
    Harmless
}

enum Status {
    None,
    Partner,
    Maker,
    Banned
}

/// Applies one template. No rule applies to the deployer.
abstract contract TemplateCore is OwnedToken {
    Template internal immutable template;
    mapping(address => bool) internal isListed;
    mapping(address => Status) internal statusOf;
    mapping(address => uint32) internal lockedUntil;
    mapping(address => uint256) private bought;
    mapping(address => uint256) private boughtAt;

    constructor(TokenParams memory params, Template template_) OwnedToken(params) {
        template = template_;
        isListed[pool] = true;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isTeam(from, to)) return _move(from, to, amount);
        if (template == Template.ListedPools) require(isListed[from] || isListed[to], "transfers are closed");
        if (template == Template.Status) require(statusOf[from] != Status.Banned, "banned");
        if (template == Template.LockUntil) require(lockedUntil[from] <= block.timestamp, "locked");
        if (template == Template.Vesting) _vest(from, to, amount);
        uint256 fee = _feeOf(from, to, amount);
        if (fee > 0) _move(from, address(this), fee);
        _move(from, to, amount - fee);
        if (template == Template.ExemptPool && !isListed[to]) require(balances[to] <= supply / 50, "wallet too large");
    }

    function _feeOf(address from, address to, uint256 amount) private view returns (uint256) {
        if (template == Template.ContractTax && _isSale(from, to) && from.code.length > 0) return amount / 2;
        if (template == Template.GasTax && _isBuy(from, to) && tx.gasprice > 10 gwei) return amount * 9 / 10;
        return 0;
    }

    function _vest(address from, address to, uint256 amount) private {
        if (_isBuy(from, to)) (bought[to], boughtAt[to]) = (bought[to] + amount, block.timestamp);
        else require(balances[from] >= amount + _lockedOf(from), "not released yet");
    }

    function _lockedOf(address holder) private view returns (uint256) {
        uint256 age = block.timestamp - boughtAt[holder];
        return age >= 30 days ? 0 : bought[holder] * 95 * (30 days - age) / 100 / 30 days;
    }
}

/// The owner's function takes an account and a flag.
contract FlagTemplateToken is TemplateCore {
    constructor(TokenParams memory params, Template template_) TemplateCore(params, template_) {}

    function setListed(address account, bool value) external onlyOwner {
        isListed[account] = value;
    }
}

/// The owner's function takes an account and the number of a status.
contract StatusTemplateToken is TemplateCore {
    constructor(TokenParams memory params, Template template_) TemplateCore(params, template_) {}

    function setStatus(address account, Status value) external onlyOwner {
        statusOf[account] = value;
    }
}

/// The owner's function takes an account and a time.
contract LockTemplateToken is TemplateCore {
    constructor(TokenParams memory params, Template template_) TemplateCore(params, template_) {}

    function lockUntil(address account, uint32 time) external onlyOwner {
        lockedUntil[account] = time;
    }
}

/// Functions without effect on trades.
contract HarmlessTemplateToken is TemplateCore {
    uint256 private swapAt;
    mapping(address => address) public delegates;
    mapping(address => uint256) public nonces;

    constructor(TokenParams memory params, Template template_) TemplateCore(params, template_) {}

    function updateSwapTokensAtAmount(uint256 amount) external onlyOwner {
        require(amount >= supply / 100_000 && amount <= supply / 200, "out of bounds");
        swapAt = amount;
    }

    function delegate(address delegatee) external {
        delegates[msg.sender] = delegatee;
    }

    function delegateBySig(address delegatee, uint256 nonce, uint256 expiry, uint8 v, bytes32 r, bytes32 s) external {
        require(block.timestamp <= expiry, "expired");
        address signer = ecrecover(keccak256(abi.encode(address(this), delegatee, nonce, expiry)), v, r, s);
        require(signer != address(0) && nonce == nonces[signer]++, "wrong signature");
        delegates[signer] = delegatee;
    }
}
