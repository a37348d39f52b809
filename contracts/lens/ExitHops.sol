// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExitSales.sol";
import "./Market.sol";
import "./Relay.sol";

/// The second part of ExitLens: measures second hops, from counter-assets to base assets.
contract ExitHops is Market, ExitSales, Relay {
    /// Continues `ExitLens.query` with the memory of the first part.
    function query(
        bytes calldata config,
        address token,
        KnownPool[] calldata,
        address[] calldata,
        bytes4[] calldata,
        uint256,
        bool
    ) external {
        (Handover memory handover,) = _continuePart();
        Notes memory words;
        Book memory book;
        Exit[] memory exits;
        assembly ("memory-safe") {
            words := mload(add(handover, 96))
            book := mload(add(handover, 128))
            exits := mload(add(handover, 160))
        }
        _writeSecondHops(words, book, config, exits, handover.count, token);
        words.finish();
    }

    /// If a pool pays in an asset without a price, sells the whole output for every base asset and writes the output
    /// and pool of each sale. For each base asset in which pools pay, finds the pool against the native token: a
    /// simulated purchase can buy that asset there, and does not have to use the traded pool.
    function _writeSecondHops(
        Notes memory words,
        Book memory book,
        bytes calldata config,
        Exit[] memory exits,
        uint256 count,
        address token
    ) private {
        uint256 countAt = words.length;
        words.push(0);
        uint256 hops;
        for (uint256 i; i < count; i++) {
            if (exits[i].drawn == 0) continue;
            address counter = exits[i].found.leg.tokenOut;
            bool isBase = _isBase(book, config, counter);
            if (
                isBase
                    ? counter == book.config.native || _seenBefore(exits, i)
                    : exits[i].found.candidatePool != NO_CANDIDATE_POOL
            ) continue;
            for (uint256 j; j < book.config.bases; j++) {
                (address base,) = readBase(config, j);
                if (base == token || base.code.length == 0 || (isBase && base != book.config.native)) continue;
                if (book.pairCount == MAX_PAIRS || gasleft() < RESERVED_GAS + FILL_GAS) break;
                words.push(i);
                words.push(j);
                _writeHop(words, book, exits[i].drawn, _discover(book, config, counter, base));
                hops++;
            }
        }
        if (countAt < words.list.length) words.list[countAt] = hops;
    }

    /// Writes the output of the best pool of the pair for the amount, and that pool's address; 0 if there is none.
    function _writeHop(Notes memory words, Book memory book, uint256 amount, Pair memory pair) private {
        _setBounds(book, pair, amount);
        uint256[KEPT] memory none;
        _fillBest(book, pair, 1, none, true);
        words.push(pair.bestReceived);
        words.push(pair.best == 0 ? 0 : uint256(uint160(book.pools[pair.best - 1].leg.pool)));
    }

    /// Whether an earlier pool pays in the same asset.
    function _seenBefore(Exit[] memory exits, uint256 index) private pure returns (bool) {
        for (uint256 i; i < index; i++) {
            if (exits[i].drawn > 0 && exits[i].found.leg.tokenOut == exits[index].found.leg.tokenOut) return true;
        }
        return false;
    }

    function _isBase(Book memory book, bytes calldata config, address asset) private pure returns (bool) {
        for (uint256 i; i < book.config.bases; i++) {
            (address base,) = readBase(config, i);
            if (base == asset) return true;
        }
        return false;
    }
}
