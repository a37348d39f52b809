// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// What the stand-ins of Base's precompiles share: published addresses, roles, scopes and errors (docs.base.org,
// specifications/b20, Denim).

address constant B20_FACTORY = 0xB20f000000000000000000000000000000000000;
address constant POLICY_REGISTRY = 0x8453000000000000000000000000000000000002;
address constant ACTIVATION_REGISTRY = 0x8453000000000000000000000000000000000001;

bytes32 constant MINT_ROLE = keccak256("MINT_ROLE");
bytes32 constant BURN_ROLE = keccak256("BURN_ROLE");
bytes32 constant BURN_BLOCKED_ROLE = keccak256("BURN_BLOCKED_ROLE");
bytes32 constant SEIZE_ROLE = keccak256("SEIZE_ROLE");
bytes32 constant PAUSE_ROLE = keccak256("PAUSE_ROLE");
bytes32 constant UNPAUSE_ROLE = keccak256("UNPAUSE_ROLE");
bytes32 constant METADATA_ROLE = keccak256("METADATA_ROLE");
bytes32 constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");

bytes32 constant TRANSFER_SENDER_POLICY = keccak256("TRANSFER_SENDER_POLICY");
bytes32 constant TRANSFER_RECEIVER_POLICY = keccak256("TRANSFER_RECEIVER_POLICY");
bytes32 constant TRANSFER_EXECUTOR_POLICY = keccak256("TRANSFER_EXECUTOR_POLICY");
bytes32 constant MINT_RECEIVER_POLICY = keccak256("MINT_RECEIVER_POLICY");
bytes32 constant SEIZE_EXEMPT_POLICY = keccak256("SEIZE_EXEMPT_POLICY");
bytes32 constant SEIZE_RECEIVER_POLICY = keccak256("SEIZE_RECEIVER_POLICY");

bytes32 constant FEATURE_ASSET = keccak256("base.b20_asset");
bytes32 constant FEATURE_STABLECOIN = keccak256("base.b20_stablecoin");
bytes32 constant FEATURE_POLICIES = keccak256("base.policy_registry");

enum PausableFeature {
    TRANSFER,
    MINT,
    BURN,
    SEIZE
}

enum PolicyType {
    BLOCKLIST,
    ALLOWLIST,
    UNION,
    INTERSECT
}

interface IPolicies {
    function isAuthorized(uint64 policyId, address account) external view returns (bool);
    function policyExists(uint64 policyId) external view returns (bool);
}

interface IActivations {
    function isActivated(bytes32 feature) external view returns (bool);
}

interface IB20Setup {
    function setUp(string calldata name, string calldata symbol, address admin, uint8 decimals, string calldata currency)
        external;
    function close() external;
}

error FeatureNotActivated(bytes32 feature);
