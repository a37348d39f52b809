// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BlockWords.sol";
import "./Filler.sol";
import "./Frames.sol";
import "./Words.sol";

/// A sale to one pool, or to two pools one after the other.
struct UnpaidSale {
    uint256 amountIn;
    uint256 legs; // 1 or 2
    Leg first;
    Leg second; // not used if `legs` is 1
}

/// Executes sales without a payment, for a token that no account can be funded with. So a tax on the sale does not show.
/// `engine/quote/plan/executeUnpaid.ts` encodes the query and decodes the answer.
contract UnpaidLens is Filler, Frames, HookCallee {
    uint256 private constant LAYOUT = 1;
    /// Maximum gas of a sale, enough to cross the ticks of two pools.
    uint256 private constant SALE_GAS = 7_000_000;
    /// Reserved for the answer.
    uint256 private constant ANSWER_GAS = 200_000;

    function _hasSecondLegs() internal pure override returns (bool) {
        return true;
    }

    /// Callbacks of pools.
    fallback() external payable {
        _callBack();
    }

    /// Returns the layout, the number of sales, the block, and the nine words of the `Fill` of each sale.
    /// @param native the wrapped native token
    /// @param arbitrum whether ArbSys returns the block number
    /// @param salt random and new for each call, so that a token cannot forge a result
    function sell(UnpaidSale[] calldata sales, address native, bool arbitrum, uint256 salt) external {
        unchecked {
            if (_busy) revert Reentered();
            _busy = true;
            _prepare(native, salt);
            Fill[] memory fills = new Fill[](sales.length);
            for (uint256 i; i < sales.length; i++) {
                uint256 gasCap = gasleft();
                gasCap = gasCap > ANSWER_GAS ? (gasCap - ANSWER_GAS) * 15 / 16 / (sales.length - i) : 0;
                if (gasCap > SALE_GAS) gasCap = SALE_GAS;
                // A pool that reads its balance before and after the payment refuses such a token.
                (bool readable,) = readBalance(sales[i].first.tokenIn, tx.origin);
                if (readable) {
                    fills[i] = _fill(sales[i].first, sales[i].second, sales[i].legs, sales[i].amountIn, ABANDON, gasCap);
                } else {
                    (fills[i].status, fills[i].reason) = (REJECTED, BalanceUnread.selector);
                }
            }
            (uint256 number, bytes32 parent) = readBlock(arbitrum);
            Words words = startWords();
            words.push(LAYOUT);
            words.push(sales.length);
            words.push(number);
            words.push(block.timestamp);
            words.push(uint256(parent));
            for (uint256 i; i < fills.length; i++) {
                Fill memory fill = fills[i];
                uint256 from;
                assembly ("memory-safe") {
                    from := fill
                }
                words.pushFields(from, 9);
            }
            words.finish();
        }
    }
}
