// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FurtherFills.sol";
import "./QuoteTypes.sol";
import "./Relay.sol";

/// Measures a sale in one eth_call: the output of the full size, its route, and the depth of the market. Placed by a
/// `code` state override. A failed read is a status in the answer, never a revert. QuoteRank and QuoteDepth are its
/// next parts. `engine/quote/decodeReading.ts` decodes the answer.
contract QuoteLens is FurtherFills, Relay {
    // Units of the size.
    uint256 private constant BY_TOKEN = 0; // mantissa / 10^scale whole tokens
    uint256 private constant BY_UNITS = 1; // base units

    uint256 private constant IN_HAS_CODE = 1;
    uint256 private constant IN_HAS_DECIMALS = 2;
    uint256 private constant OUT_HAS_CODE = 4;
    uint256 private constant OUT_HAS_DECIMALS = 8;
    uint256 private constant SIZE_CUT = 16; // the size has more decimals than tokenIn and was rounded down
    uint256 private constant SIZE_OVERFLOW = 32;

    /// @param config the chain configuration, as `ChainConfig` describes it
    /// @param payers accounts that hold tokenIn and approved the lens
    function quote(QuoteQuery calldata query, bytes calldata config, Payer[] calldata payers) external {
        Handover memory handover = _beginPart();
        QuoteState memory state;
        state.startGas = gasleft();
        Book memory book = openBook(config);
        _prepare(book.config.native, query.salt);
        _usePayers(payers);
        _readTokens(query, state);
        _size(query, state);
        if (state.amountIn > 0 && !_isBeyondSupply(query, book, state)) {
            _checkPayer(query, state);
            _discoverAll(book, config, query.tokenIn, query.tokenOut);
        }
        assembly ("memory-safe") {
            mstore(add(handover, 96), book)
            mstore(add(handover, 128), state)
        }
        _endPart(handover);
    }

    function _readTokens(QuoteQuery calldata query, QuoteState memory state) private view {
        bool hasCode;
        bool ok;
        (hasCode, ok, state.decimalsIn) = readDecimals(query.tokenIn);
        if (hasCode) state.flags |= IN_HAS_CODE;
        if (ok) state.flags |= IN_HAS_DECIMALS;
        (hasCode, ok, state.decimalsOut) = readDecimals(query.tokenOut);
        if (hasCode) state.flags |= OUT_HAS_CODE;
        if (ok) state.flags |= OUT_HAS_DECIMALS;
    }

    function _size(QuoteQuery calldata query, QuoteState memory state) private pure {
        unchecked {
            uint256 bothTokens = IN_HAS_DECIMALS | OUT_HAS_DECIMALS;
            if (state.flags & bothTokens != bothTokens) return;
            bool cut;
            bool overflow;
            if (query.mode == BY_TOKEN) {
                (state.amountIn, cut, overflow) = toBaseUnits(query.mantissa, query.scale, state.decimalsIn);
            } else {
                state.amountIn = query.mantissa;
            }
            if (cut) state.flags |= SIZE_CUT;
            if (overflow) {
                state.flags |= SIZE_OVERFLOW;
                state.amountIn = 0;
            }
        }
    }

    /// Whether the size exceeds the supply of tokenIn. Deposits mint the wrapped native token, so its supply is no
    /// limit.
    function _isBeyondSupply(QuoteQuery calldata query, Book memory book, QuoteState memory state)
        private
        view
        returns (bool)
    {
        (, state.supply) = readWord(query.tokenIn, 0x18160ddd, 0, 0); // totalSupply()
        return state.supply != 0 && state.amountIn > state.supply && query.tokenIn != book.config.native;
    }

    /// Checks that an account holds the size and approved the lens, and selects the mode of sales. A token whose
    /// balanceOf fails is sold with payment, which fails in every pool.
    function _checkPayer(QuoteQuery calldata query, QuoteState memory state) private {
        address payer = _payerOf(state.amountIn);
        // balanceOf(0) reverts in some tokens.
        if (payer == address(0)) payer = tx.origin;
        (bool readable, uint256 balance) = readBalance(query.tokenIn, payer);
        if (readable && balance >= state.amountIn) {
            // allowance(address,address)
            (bool ok, uint256 allowed) =
                readWord(query.tokenIn, 0xdd62ed3e, uint256(uint160(payer)), uint256(uint160(address(this))));
            if (ok && allowed >= state.amountIn) state.funded = 1;
        }
        bool paid = !readable || (state.funded != 0 && !query.trusted);
        _sell(query.tokenIn, paid ? PAY : ABANDON);
    }

    /// Pair 0 is the direct one. Then follow the two pairs of each base asset: tokenIn to it, and it to tokenOut.
    function _discoverAll(Book memory book, bytes calldata config, address tokenIn, address tokenOut) internal view {
        unchecked {
            _discover(book, config, tokenIn, tokenOut);
            for (uint256 i; i < book.config.bases && book.pairCount + 1 < MAX_PAIRS; i++) {
                (address base,) = readBase(config, i);
                if (base == tokenIn || base == tokenOut) continue;
                Pair memory hop = _discover(book, config, tokenIn, base);
                if (hop.first == hop.end) book.addPair(address(0), address(0));
                else _discover(book, config, base, tokenOut);
            }
        }
    }
}
