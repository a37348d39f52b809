// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./QuoteTypes.sol";
import "./Relay.sol";
import "./Router.sol";

/// The second part of QuoteLens: ranks the routes for the size.
contract QuoteRank is Router, Relay {
    /// Continues `QuoteLens.quote` with the memory of the first part.
    function quote(QuoteQuery calldata, bytes calldata, Payer[] calldata) external {
        (Handover memory handover, uint256 withheld) = _continuePart();
        Book memory book;
        QuoteState memory state;
        assembly ("memory-safe") {
            book := mload(add(handover, 96))
            state := mload(add(handover, 128))
        }
        state.startGas -= withheld;
        Ranking memory ranking;
        if (book.pairCount > 0) ranking = _rank(book, state.amountIn, state.funded != 0);
        assembly ("memory-safe") {
            mstore(add(handover, 160), ranking)
        }
        _endPart(handover);
    }
}
