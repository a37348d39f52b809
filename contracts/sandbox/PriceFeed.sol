// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Replaces a Chainlink feed with the same read ABI. Without a pinned time, every read reports the current block's
/// timestamp, so that a sandbox that runs for days does not become stale.
contract PriceFeed {
    uint256 public constant version = 4;
    uint8 public immutable decimals;
    string public description;
    int256 public answer;
    uint256 public startedAt;
    uint256 public pinnedUpdatedAt;

    constructor(uint8 decimals_, string memory description_, int256 answer_, uint256 startedAt_) {
        decimals = decimals_;
        description = description_;
        answer = answer_;
        startedAt = startedAt_;
    }

    /// A pinned time of zero makes the feed fresh again.
    function set(int256 answer_, uint256 startedAt_, uint256 pinnedUpdatedAt_) external {
        answer = answer_;
        startedAt = startedAt_;
        pinnedUpdatedAt = pinnedUpdatedAt_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        uint256 updatedAt = pinnedUpdatedAt == 0 ? block.timestamp : pinnedUpdatedAt;
        return (1, answer, startedAt == 0 ? updatedAt : startedAt, updatedAt, 1);
    }
}
