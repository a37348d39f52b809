// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import "./B20Interfaces.sol";

/// Stand-in for the B20 factory. A contract cannot give an address its code, so the sandbox places the delegation before
/// it calls `createB20`.
contract B20Factory {
    struct AssetParams {
        uint8 version;
        string name;
        string symbol;
        address initialAdmin;
        uint8 decimals;
    }

    struct StablecoinParams {
        uint8 version;
        string name;
        string symbol;
        address initialAdmin;
        string currency;
    }

    error TokenAlreadyExists(address token);
    error InvalidVariant();
    error UnsupportedVersion(uint8 version, uint8 variant);
    error MissingRequiredField(string field);
    error InvalidCurrency(string code);
    error InvalidDecimals(uint8 decimals);
    error InitCallFailed(uint256 index);

    event B20Created(
        address indexed token, uint8 indexed variant, string name, string symbol, uint8 decimals, bytes variantEventParams
    );

    mapping(address => bool) private _initialized;

    function getB20Address(uint8 variant, address sender, bytes32 salt) public pure returns (address) {
        uint256 tail = uint256(keccak256(abi.encode(sender, salt))) >> 184;
        return address(uint160((uint256(0xB2) << 152) | (uint256(variant) << 72) | tail));
    }

    function isB20(address token) external pure returns (bool) {
        return uint160(token) >> 80 == uint160(0xB2) << 72;
    }

    function isB20Initialized(address token) external view returns (bool) {
        return _initialized[token];
    }

    function createB20(uint8 variant, bytes32 salt, bytes calldata params, bytes[] calldata initCalls)
        external
        returns (address token)
    {
        if (variant > 1) revert InvalidVariant();
        bytes32 feature = variant == 0 ? FEATURE_ASSET : FEATURE_STABLECOIN;
        if (!IActivations(ACTIVATION_REGISTRY).isActivated(feature)) revert FeatureNotActivated(feature);
        token = getB20Address(variant, msg.sender, salt);
        if (_initialized[token]) revert TokenAlreadyExists(token);
        if (variant == 0) _setUpAsset(token, abi.decode(params, (AssetParams)));
        else _setUpStablecoin(token, abi.decode(params, (StablecoinParams)));
        for (uint256 i; i < initCalls.length; i++) {
            (bool ok, bytes memory reason) = token.call(initCalls[i]);
            if (ok) continue;
            if (reason.length == 0) revert InitCallFailed(i);
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
        IB20Setup(token).close();
        _initialized[token] = true;
    }

    function _setUpAsset(address token, AssetParams memory params) private {
        if (params.version != 1) revert UnsupportedVersion(params.version, 0);
        if (params.decimals < 6 || params.decimals > 18) revert InvalidDecimals(params.decimals);
        IB20Setup(token).setUp(params.name, params.symbol, params.initialAdmin, params.decimals, "");
        emit B20Created(token, 0, params.name, params.symbol, params.decimals, "");
    }

    function _setUpStablecoin(address token, StablecoinParams memory params) private {
        if (params.version != 1) revert UnsupportedVersion(params.version, 1);
        bytes memory code = bytes(params.currency);
        if (code.length == 0) revert MissingRequiredField("currency");
        for (uint256 i; i < code.length; i++) {
            if (code[i] < "A" || code[i] > "Z") revert InvalidCurrency(params.currency);
        }
        IB20Setup(token).setUp(params.name, params.symbol, params.initialAdmin, 6, params.currency);
        emit B20Created(token, 1, params.name, params.symbol, 6, abi.encode(uint8(1), params.currency));
    }
}
