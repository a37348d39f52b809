// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Answers what Aerodrome's pools and factories ask of its Voter, its FactoryRegistry and of a factory before the
/// first, on a chain without gauges and votes: there are none.
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
