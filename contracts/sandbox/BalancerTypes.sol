// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IBalancerPool {
    function getPoolId() external view returns (bytes32);
    function getVault() external view returns (address);
}

interface IBalancerVault {
    struct JoinPoolRequest {
        address[] assets;
        uint256[] maxAmountsIn;
        bytes userData;
        bool fromInternalBalance;
    }

    /// Kind 0 sells `amount`.
    struct SingleSwap {
        bytes32 poolId;
        uint8 kind;
        address assetIn;
        address assetOut;
        uint256 amount;
        bytes userData;
    }

    struct FundManagement {
        address sender;
        bool fromInternalBalance;
        address payable recipient;
        bool toInternalBalance;
    }

    function joinPool(bytes32 poolId, address sender, address recipient, JoinPoolRequest calldata request) external;
    function swap(SingleSwap calldata order, FundManagement calldata funds, uint256 limit, uint256 deadline)
        external
        returns (uint256);
}
