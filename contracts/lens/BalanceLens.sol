// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";

/// Reads many balances in one call. Gas per token is bounded, so a hostile token cannot prevent the other reads.
contract BalanceLens {
    struct Balance {
        uint256 status; // 0: not read, because the gas ran out; 1: unreadable; 2: read
        uint256 amount;
    }

    /// Reads the balance of `tokens[i]` that `holders[i]` holds, for every i. Both arrays have the same length.
    function read(address[] calldata tokens, address[] calldata holders)
        external
        view
        returns (Balance[] memory balances)
    {
        balances = new Balance[](holders.length);
        for (uint256 i; i < holders.length; i++) {
            // A read needs READ_GAS and the 1/64 that a call leaves (EIP-150), rounded up to 1/32. The answer needs 200
            // a balance.
            if (gasleft() < READ_GAS + READ_GAS / 32 + holders.length * 200) break;
            (bool ok, uint256 amount) = readBalance(tokens[i], holders[i]);
            balances[i] = Balance(ok ? 2 : 1, amount);
        }
    }
}
