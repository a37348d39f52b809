// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";

/// Accepts one transfer a block from each sender, except from the first holder.
contract OneTransferToken is LedgerToken {
    address private immutable first;
    mapping(address => uint256) private sentAt;

    error OneTransferPerBlock();

    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, supply) {
        first = holder;
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (from != first && sentAt[from] == block.number) revert OneTransferPerBlock();
        sentAt[from] = block.number;
        super._move(from, to, amount);
    }
}
