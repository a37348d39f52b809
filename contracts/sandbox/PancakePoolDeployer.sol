// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Creates PancakeSwap v3 pools from the published pool code with the canonical salt, so that they have their real
/// addresses. The package has no deployer artifact; the pool's creation code is stored as data at `poolCode`.
contract PancakePoolDeployer {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    error NotTheFactory();

    Parameters public parameters;
    address public immutable factoryAddress;
    address public immutable poolCode;

    constructor(address factory_, address poolCode_) {
        factoryAddress = factory_;
        poolCode = poolCode_;
    }

    function deploy(address factory, address token0, address token1, uint24 fee, int24 tickSpacing)
        external
        returns (address pool)
    {
        if (msg.sender != factoryAddress) revert NotTheFactory();
        parameters = Parameters(factory, token0, token1, fee, tickSpacing);
        bytes memory code = poolCode.code;
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        assembly ("memory-safe") {
            pool := create2(0, add(code, 0x20), mload(code), salt)
            if iszero(pool) {
                returndatacopy(0, 0, returndatasize())
                revert(0, returndatasize())
            }
        }
        delete parameters;
    }
}
