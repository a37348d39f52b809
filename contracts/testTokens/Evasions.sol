// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PooledToken, TokenParams} from "./BaseToken.sol";

/// A sign by which the token recognises a simulation. It permits sales only if it finds the sign.
enum Sign {
    /// A gas price that follows from the base fee by a known formula.
    GasPrice,
    /// A native balance in the range that simulations give a wallet.
    Balance,
    /// prevrandao is the same in all blocks.
    Randao,
    /// The router's code is short.
    RouterCode,
    /// The hash of the last block is unknown.
    BlockHash,
    /// The block's gas limit differs from the chain's.
    GasLimit,
    /// The tip is exactly the one that simulations used to pay, or one of their larger ones.
    UsualTip,
    /// There is code at the address of the copied router.
    CopiedRouter
}

/// Refuses the sales of buyers, unless the block or transaction looks simulated.
contract SimulationOnlyToken is PooledToken {
    /// A router with less code is a stand-in.
    uint256 private constant SHORT = 5_000;
    address private constant COPIED_ROUTER = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    Sign private immutable sign;
    uint256 private immutable usualGasLimit;
    mapping(address => uint256) private boughtAt;
    mapping(address => uint256) private boughtRandao;
    mapping(address => bool) private held;

    constructor(TokenParams memory params, Sign sign_) PooledToken(params) {
        sign = sign_;
        usualGasLimit = block.gaslimit;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (!_isTeam(from, to)) {
            if (held[from] && to.code.length > 0) require(_looksSimulated(from), "refused");
            if (to.code.length == 0 || to == tx.origin || from == pool) {
                held[to] = true;
                if (from.code.length > 0) (boughtAt[to], boughtRandao[to]) = (block.number, block.prevrandao);
            }
        }
        _move(from, to, amount);
    }

    function _looksSimulated(address from) private view returns (bool) {
        if (sign == Sign.GasPrice) return tx.gasprice == 2 * block.basefee + 10_000_000;
        if (sign == Sign.Balance) return tx.origin.balance > 5 ether && tx.origin.balance < 20 ether;
        if (sign == Sign.Randao) return block.number > boughtAt[from] && block.prevrandao == boughtRandao[from];
        if (sign == Sign.RouterCode) return msg.sender.code.length < SHORT && msg.sender != from;
        if (sign == Sign.BlockHash) return blockhash(block.number - 1) == 0;
        if (sign == Sign.GasLimit) return block.gaslimit != usualGasLimit;
        if (sign == Sign.CopiedRouter) return COPIED_ROUTER.code.length > 0;
        uint256 tip = tx.gasprice - block.basefee;
        return tip == 1_000_000 || (tip >= 2_000_000 && tip < 200_000_000);
    }
}

/// The owner can raise the balance of a treasury; the supply stays the same.
contract TreasuryToken is OwnedToken {
    address private treasury;

    constructor(TokenParams memory params, address treasury_) OwnedToken(params) {
        treasury = treasury_;
    }

    function reward(uint256 amount) external onlyOwner {
        balances[treasury] += amount;
    }
}

/// The owner can block a holder; the block takes effect 40 days later.
contract DistantListToken is OwnedToken {
    mapping(address => uint256) private blockedFrom;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setStatus(address account) external onlyOwner {
        blockedFrom[account] = block.timestamp + 40 days;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 start = blockedFrom[from];
        require(start == 0 || block.timestamp < start || _isTeam(from, to), "see the status");
        _move(from, to, amount);
    }
}

/// Honest. Its code and storage contain amounts so large that they look like addresses. Its owner can store numbers.
contract NumbersToken is OwnedToken {
    uint256 private immutable first;
    uint256 private immutable second;
    uint256 private immutable third;
    uint256 private immutable fourth;
    uint256[8] private stored;
    mapping(address => uint256) public notes;

    constructor(TokenParams memory params, uint256 amount) OwnedToken(params) {
        (first, second, third, fourth) = (amount, amount * 2, amount / 100, amount * 15 / 1000);
        for (uint256 i; i < 8; i++) stored[i] = amount * (i + 1);
    }

    function setNote(address account, uint256 value) external onlyOwner {
        notes[account] = value;
    }

    function amounts() external view returns (uint256, uint256, uint256, uint256) {
        return (first, second, third, fourth);
    }
}

/// A stored spender can transfer the tokens of any holder without an approval. In an honest token, it is a router.
contract PreapprovedToken is OwnedToken {
    address private spender;

    constructor(TokenParams memory params, address spender_) OwnedToken(params) {
        spender = spender_;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        if (msg.sender != spender) _spend(from, amount);
        _transfer(from, to, amount);
        return true;
    }
}

/// Balances are shares of a supply that the owner sets.
contract RebaseToken is OwnedToken {
    uint256 private immutable shares;

    constructor(TokenParams memory params) OwnedToken(params) {
        shares = params.supply;
    }

    function rebase(uint256 newSupply) external onlyOwner {
        supply = newSupply;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        return balances[holder] * supply / shares;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        _move(from, to, amount * shares / supply);
    }
}

/// Which sales are taxed.
enum TaxRule {
    /// 50 % of a sale with a gas price above 5 gwei.
    HighGasPrice,
    /// 40 % of a wallet's third sale and of later ones.
    ThirdSale
}

/// Taxes only unusual sales, by one rule.
contract OddTaxToken is PooledToken {
    TaxRule private immutable rule;
    mapping(address => uint256) private sales;

    constructor(TokenParams memory params, TaxRule rule_) PooledToken(params) {
        rule = rule_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 fee;
        if (_isSale(from, to)) {
            if (rule == TaxRule.HighGasPrice && tx.gasprice > 5 gwei) fee = amount / 2;
            if (rule == TaxRule.ThirdSale && ++sales[from] > 2) fee = amount * 2 / 5;
        }
        if (fee > 0) _move(from, address(this), fee);
        _move(from, to, amount - fee);
    }
}

/// Reports a false balance, zero or the supply, to contracts other than its pool and one router.
contract LensLiarToken is PooledToken {
    address private immutable router;
    bool private immutable inflates;

    constructor(TokenParams memory params, address router_, bool inflates_) PooledToken(params) {
        router = router_;
        inflates = inflates_;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        bool isLens = msg.sender.code.length > 0 && msg.sender != pool && msg.sender != router;
        if (!isLens) return balances[holder];
        return inflates ? supply : 0;
    }
}

/// A wallet can sell only within an hour of its last purchase.
contract HourToken is PooledToken {
    mapping(address => uint256) private boughtAt;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to)) boughtAt[to] = block.timestamp;
        if (_isSale(from, to)) require(block.timestamp < boughtAt[from] + 1 hours, "too late");
        _move(from, to, amount);
    }
}

/// The owner blocks wallets in two steps: it makes an account an operator, and the operator sets the block.
contract TwoStepListToken is OwnedToken {
    mapping(address => bool) private operators;
    mapping(address => bool) private blocked;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setOperator(address account, bool allowed) external onlyOwner {
        operators[account] = allowed;
    }

    function setStatus(address account, bool value) external {
        if (operators[msg.sender]) blocked[account] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!blocked[from] || _isTeam(from, to), "see the status");
        _move(from, to, amount);
    }
}

/// The owner can raise its own balance while totalSupply() stays the same. One account, `decoy`, always reports three
/// times the supply, so that a balance above the supply proves nothing about the owner.
contract DecoyToken is OwnedToken {
    address private decoy;

    constructor(TokenParams memory params, address decoy_) OwnedToken(params) {
        decoy = decoy_;
    }

    function reward(uint256 amount) external onlyOwner {
        balances[msg.sender] += amount;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        return holder == decoy ? 3 * supply : balances[holder];
    }
}

/// The owner can set its own balance to the supply. No single balance exceeds the supply then, but their sum does.
contract RefillToken is OwnedToken {
    constructor(TokenParams memory params) OwnedToken(params) {}

    function refill() external onlyOwner {
        balances[msg.sender] = supply;
    }
}
