// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Replaces Aerodrome's Voter, FactoryRegistry and earlier factory for its pools and factories. There are no gauges
/// and no votes.
contract AerodromeRegistry {
    function factoryRegistry() external view returns (address) {
        return address(this);
    }

    function gauges(address) external pure returns (address) {
        return address(0);
    }

    function isAlive(address) external pure returns (bool) {
        return false;
    }

    function emergencyCouncil() external pure returns (address) {
        return address(0);
    }

    function isPoolFactoryApproved(address) external pure returns (bool) {
        return true;
    }

    function getPool(address, address, int24) external pure returns (address) {
        return address(0);
    }
}
