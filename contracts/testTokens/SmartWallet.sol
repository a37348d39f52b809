// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A minimal smart wallet: it executes the calls of its owner.
contract SmartWallet {
    address private immutable owner;

    constructor(address owner_) payable {
        owner = owner_;
    }

    receive() external payable {}

    function execute(address to, uint256 value, bytes calldata data) external {
        require(msg.sender == owner, "not the owner");
        (bool ok, bytes memory answer) = to.call{value: value}(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
    }
}
