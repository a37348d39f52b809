// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";

/// Taxes transfers to accounts without code by 10 %, so a simulation that buys with a contract measures no tax.
contract WalletTaxToken is LedgerToken {
    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, supply) {}

    function _move(address from, address to, uint256 amount) internal override {
        uint256 tax = to.code.length == 0 ? amount / 10 : 0;
        if (tax > 0) super._move(from, address(this), tax);
        super._move(from, to, amount - tax);
    }
}
