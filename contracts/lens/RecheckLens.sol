// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExitSales.sol";
import "./Frames.sol";

/// Measures a token's known pools, without look-ups. The query is packed, which keeps code and request short.
abstract contract Rechecks is ExitSales, Frames {
    uint256 private constant MAX_WORDS = 2_500;

    /// Calldata position of the next value of the query.
    struct Cursor {
        uint256 at;
    }

    /// Callbacks of pools.
    fallback() external payable {
        _callBack();
    }

    /// Returns block, token and base assets as ExitLens does, then the pools in the order of the query.
    ///
    /// The query follows the selector (`engine/pretrade/exit/encodeRecheck.ts`): token, wrapped native token,
    /// sequencer feed, random salt of 16 bytes, then lists that start with their length in one byte: getters
    /// (selectors), holders (addresses), base assets (token and feed), and pools (see `_nextLeg`, largest first).
    function recheck() external {
        unchecked {
        if (_busy) revert Reentered();
        _busy = true;
        Notes memory words = newNotes(MAX_WORDS);
        Cursor memory cursor = Cursor(4);
        address token = _nextAddress(cursor);
        address native = _nextAddress(cursor);
        address sequencer = _nextAddress(cursor);
        _prepare(native, _take(cursor, 16));
        _writeBlock(words);
        _writeToken(words, token);
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            _writeWord(words, token, bytes4(uint32(_take(cursor, 4))));
        }
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            _writeBalance(words, token, _nextAddress(cursor));
        }
        words.push(readSequencer(sequencer));
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            address base = _nextAddress(cursor);
            _writeBase(words, base, _nextAddress(cursor));
        }
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            // Not `Exit memory exit`, which would also allocate a `Found`.
            Exit memory exit = Exit(_readPool(_nextLeg(cursor, token)), 0, 0, 0);
            _measure(exit, false);
            _writeSale(words, exit);
        }
        words.finish();
        }
    }

    function _take(Cursor memory cursor, uint256 size) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            let at := mload(cursor)
            value := shr(sub(256, shl(3, size)), calldataload(at))
            mstore(cursor, add(at, size))
        }
    }

    function _nextAddress(Cursor memory cursor) private pure returns (address) {
        return address(uint160(_take(cursor, 20)));
    }

    /// Reads the length of a list, and also writes it to the answer.
    function _nextCount(Cursor memory cursor, Notes memory words) private pure returns (uint256 count) {
        count = _take(cursor, 1);
        words.push(count);
    }

    /// Reads kind (1 byte), fee (3), tick spacing (3), pool or manager, counter-asset, and for a singleton's pool
    /// hooks.
    function _nextLeg(Cursor memory cursor, address token) private pure returns (Leg memory leg) {
        leg.kind = _take(cursor, 1);
        leg.fee = _take(cursor, 3);
        leg.spacing = int24(uint24(_take(cursor, 3)));
        leg.pool = _nextAddress(cursor);
        leg.tokenIn = token;
        leg.tokenOut = _nextAddress(cursor);
        if (_hasSingletons() && leg.kind >= KIND_V4) leg.hooks = _nextAddress(cursor);
    }
}

/// For pools of all kinds.
contract RecheckLens is Rechecks, HookCallee {}

/// For pairs and concentrated pools only.
contract PlainRecheckLens is Rechecks {
    function _hasSingletons() internal pure override returns (bool) {
        return false;
    }
}
