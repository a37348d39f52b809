// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";

/// Detects simulations, or breaks their assumptions, by one rule for each deployment. The first holder is exempt, so
/// that it can fund pools.
contract RecognisingToken is LedgerToken {
    enum Rule {
        FixedOrigin, // keeps half, unless the caller is an address that simulations once used
        FixedLens, // keeps half, unless an address that simulations once used has code
        NoGasPrice, // keeps half, unless the gas price is zero
        NoBaseFee, // keeps half, unless the base fee is zero
        PoorOrigin, // keeps half, unless tx.origin has no native balance
        TransferFrom, // keeps half of a transferFrom, and nothing of a transfer
        ExternalSeller, // keeps half if the sender has no code
        MoreThanSupply, // refuses senders that hold more than its supply
        ShareHeld, // a sender that holds x % of the supply loses x % of its transfer
        Bonus // the receiver gets 0.1 % more than was sent
    }

    address private constant FORMER_CALLER = 0x502cae368B9c417C0580628747F8Ac9E193390E2;
    address private constant FORMER_LENS = 0x87025e35067fdFDee331F27A16C534471dd56446;

    error HoldsMoreThanSupply(address sender);

    Rule private immutable rule;
    address private immutable exempt;

    constructor(string memory symbol_, address holder, uint256 supply, Rule rule_) LedgerToken(symbol_, holder, supply) {
        (rule, exempt) = (rule_, holder);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        _send(from, to, amount, true);
        return true;
    }

    function _move(address from, address to, uint256 amount) internal override {
        _send(from, to, amount, false);
    }

    function _send(address from, address to, uint256 amount, bool pulled) private {
        if (from == exempt) return super._move(from, to, amount);
        if (rule == Rule.Bonus) {
            super._move(from, to, amount);
            totalSupply += amount / 1000;
            ledger[to] += amount / 1000;
            return;
        }
        if (rule == Rule.MoreThanSupply && ledger[from] > totalSupply) revert HoldsMoreThanSupply(from);
        uint256 kept = _kept(from, amount, pulled);
        if (kept > 0) super._move(from, address(this), kept);
        super._move(from, to, amount - kept);
    }

    function _kept(address from, uint256 amount, bool pulled) private view returns (uint256) {
        if (rule == Rule.ShareHeld) return ledger[from] > totalSupply ? amount : amount * ledger[from] / totalSupply;
        bool taxed = (rule == Rule.FixedOrigin && tx.origin != FORMER_CALLER)
            || (rule == Rule.FixedLens && FORMER_LENS.code.length == 0) || (rule == Rule.NoGasPrice && tx.gasprice > 0)
            || (rule == Rule.NoBaseFee && block.basefee > 0) || (rule == Rule.PoorOrigin && tx.origin.balance > 0)
            || (rule == Rule.TransferFrom && pulled) || (rule == Rule.ExternalSeller && from.code.length == 0);
        return taxed ? amount / 2 : 0;
    }
}
