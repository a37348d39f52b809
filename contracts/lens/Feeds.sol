// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";

/// The latest round of a Chainlink feed. The TypeScript decoder checks by `updatedAt` that it is fresh.
struct Feed {
    bool read;
    uint256 answer; // 0 if the feed returned 0 or a negative number
    uint256 updatedAt; // in seconds
    uint256 decimals;
}

/// The five words of latestRoundData(). `ok` is false if the feed returned less.
function readRound(address feed) view returns (bool ok, uint256[5] memory words) {
    uint256 size;
    (ok, size, words) = readWords(feed, 0xfeaf968c); // latestRoundData()
    // A call to an address without code succeeds and returns nothing.
    ok = ok && size > 4;
}

function readFeed(address feed) view returns (Feed memory f) {
    (bool ok, uint256[5] memory words) = readRound(feed);
    if (!ok) return f;
    (f.read, f.decimals) = readWord(feed, 0x313ce567, 0, 0); // decimals()
    if (f.decimals > 36) f.read = false;
    f.answer = int256(words[1]) > 0 ? words[1] : 0;
    f.updatedAt = words[3];
}

/// @return status of the sequencer: 0 = no feed, 1 = up for at least an hour, 2 = down or up for less, 3 = unread
function readSequencer(address feed) view returns (uint256) {
    if (feed == address(0)) return 0;
    (bool ok, uint256[5] memory words) = readRound(feed);
    if (!ok) return 3;
    // After an outage, Chainlink recommends a grace period of an hour before prices are used. A start of 0 means that
    // the feed is not initialised.
    bool up = words[1] == 0 && words[2] != 0 && words[2] <= block.timestamp - 3600;
    return up ? 1 : 2;
}
