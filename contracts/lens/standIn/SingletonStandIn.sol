// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// A stand-in for pools of Uniswap v4's manager.
contract SingletonStandIn is StandIn, SingletonSwaps {
    address private transient _puller; // the contract that the wallet approved; 0: this contract

    function _readSingleton(PlanLeg memory leg, uint256 row) internal override {
        _native = leg.tokenIn;
        address puller;
        assembly ("memory-safe") {
            mstore(add(leg, 192), shr(96, mload(add(row, 67)))) // hooks
            puller := shr(96, mload(add(row, 87)))
        }
        _puller = puller;
    }

    function _swapBy(PlanLeg memory leg, uint256 amount, address)
        internal
        override
        returns (uint256, uint256, uint256)
    {
        _swapSingleton(leg, amount, msg.sender);
        return (amount - _unpaid, _arrived, _sent);
    }

    /// Called by the manager while it is unlocked for this contract.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (!_answerManager(data)) _runReplacedCode();
        return "";
    }

    function _pullFrom(address from, address token, address to, uint256 amount) internal override {
        if (_puller == address(0)) return super._pullFrom(from, token, to, amount);
        try IPuller(_puller).pull(token, from, to, amount) {}
        catch {
            _revertWithLastError(1);
        }
    }

    /// Called by hooks that need the trader's address.
    function msgSender() external view returns (address) {
        return tx.origin;
    }
}

interface IPuller {
    function pull(address token, address from, address to, uint256 amount) external;
}

/// Placed at Permit2's address: pulls tokens for the contract that is placed at the router's address.
contract PullerStandIn is Payments {
    function pull(address token, address from, address to, uint256 amount) external {
        _pull(token, from, to, amount);
    }
}
