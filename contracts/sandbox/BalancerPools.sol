// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Erc20Calls} from "./Erc20Calls.sol";
import {IBalancerPool, IBalancerVault} from "./BalancerTypes.sol";

/// Creates weighted pools by Balancer's factories and adds their first liquidity. Keeps a list of them, because Balancer's
/// factories cannot look up a pool by its tokens.
contract BalancerPools {
    error CreationFailed(bytes reason);

    IBalancerVault public immutable vault;
    mapping(bytes32 => address) private poolOf;

    constructor(IBalancerVault vault_) {
        vault = vault_;
    }

    /// @param data of the factory's `create`; its tokens are `tokens`
    function create(address factory, bytes calldata data, address[] calldata tokens) external returns (address pool) {
        (bool ok, bytes memory answer) = factory.call(data);
        if (!ok) revert CreationFailed(answer);
        pool = abi.decode(answer, (address));
        poolOf[keccak256(abi.encode(factory, tokens))] = pool;
    }

    /// The latest pool of a factory with these tokens.
    function find(address factory, address[] calldata tokens) external view returns (address) {
        return poolOf[keccak256(abi.encode(factory, tokens))];
    }

    /// Adds the first liquidity of a pool from this contract's balances.
    function fill(address pool, address[] calldata tokens, uint256[] calldata amounts, address owner) external {
        for (uint256 i = 0; i < tokens.length; i++) Erc20Calls.approve(tokens[i], address(vault), amounts[i]);
        // Join kind INIT is 0.
        IBalancerVault.JoinPoolRequest memory request =
            IBalancerVault.JoinPoolRequest(tokens, amounts, abi.encode(0, amounts), false);
        vault.joinPool(IBalancerPool(pool).getPoolId(), address(this), owner, request);
    }
}
