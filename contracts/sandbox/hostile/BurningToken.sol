// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";
import {HostileReplies} from "./HostileReplies.sol";

/// Standard transfers up to `most`; larger ones burn all gas, and transfers of exactly `most` burn `burnt`.
contract BurningToken is LedgerToken {
    uint256 private most = type(uint256).max;
    uint256 private burnt;

    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, supply) {}

    function arm(uint256 most_, uint256 burnt_) external {
        (most, burnt) = (most_, burnt_);
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (amount > most) HostileReplies.burn();
        if (amount == most) {
            uint256 stop = gasleft() - burnt;
            while (gasleft() > stop) {}
        }
        super._move(from, to, amount);
    }
}
