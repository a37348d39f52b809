// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolCalls.sol";
import "./TickWalks.sol";

/// Reads the states of Balancer v2's weighted pools.
abstract contract WeightedReads is TickWalks {
    /// Reads the vault's balances of the leg's two tokens, and the fee (1e18 = 100 %) into `third`. The weights are not
    /// read, because they never change. A pool counts as empty if it or the vault is paused.
    function _readWeighted(PoolEntry memory entry, Leg memory leg) internal view returns (uint256) {
        unchecked {
            (address token0, address token1) = _sorted(leg);
            uint256 word = weightedPoolId(leg.pool, leg.hooks);
            bool ok;
            (, entry.first) = readWord(BALANCER_VAULT, GET_POOL_TOKEN_INFO, word, uint160(token0));
            (, entry.second) = readWord(BALANCER_VAULT, GET_POOL_TOKEN_INFO, word, uint160(token1));
            (ok, entry.third) = readWord(leg.pool, 0x55c67628, 0, 0); // getSwapFeePercentage()
            (, word) = readWord(leg.pool, 0x1c0de051, 0, 0); // getPausedState()
            (, uint256 paused) = readWord(BALANCER_VAULT, 0x1c0de051, 0, 0); // getPausedState()
            if (word | paused != 0) entry.first = 0;
            return ok ? FORM_WEIGHTED : FORM_NONE;
        }
    }

    function _sorted(Leg memory leg) internal pure returns (address, address) {
        return leg.tokenIn < leg.tokenOut ? (leg.tokenIn, leg.tokenOut) : (leg.tokenOut, leg.tokenIn);
    }
}
