// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import "./B20Interfaces.sol";

/// State, roles, pauses and policies of a B20 token. The state is at a hash, so that no usual formula finds a slot: the
/// real layout is no interface.
abstract contract B20Ledger {
    struct Ledger {
        bool created;
        bool open; // false: the factory still runs the init calls
        uint8 decimals;
        uint8 paused;
        uint256 supply;
        uint256 cap;
        uint256 multiplier;
        uint256 admins;
        string name;
        string symbol;
        string currency;
        mapping(address => uint256) balances;
        mapping(address => mapping(address => uint256)) allowances;
        mapping(bytes32 => mapping(address => bool)) roles;
        mapping(bytes32 => bytes32) roleAdmins;
        mapping(bytes32 => uint64) policies;
    }

    error AccessControlUnauthorizedAccount(address account, bytes32 neededRole);
    error AccessControlBadConfirmation();
    error ContractPaused(PausableFeature feature);
    error EmptyFeatureSet();
    error LastAdminCannotRenounce();
    error NotSoleAdmin();
    error PolicyForbids(bytes32 policyScope, uint64 policyId);
    error PolicyNotFound(uint64 policyId);
    error UnsupportedPolicyType(bytes32 policyScope);

    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole);
    event LastAdminRenounced(address indexed previousAdmin);
    event Paused(address indexed updater, PausableFeature[] features);
    event Unpaused(address indexed updater, PausableFeature[] features);
    event PolicyUpdated(bytes32 indexed policyScope, uint64 oldPolicyId, uint64 newPolicyId);

    /// A token that was not created has no functions.
    modifier live() {
        if (!_ledger().created) {
            assembly {
                revert(0, 0)
            }
        }
        _;
    }

    function _ledger() internal pure returns (Ledger storage ledger) {
        assembly {
            ledger.slot := 0x7b1f35a1c2d8e96f0a4b8c6d2e1f90735a6c8b4d1e2f3a9b7c5d8e6f4a2b1c00
        }
    }

    /// The factory's calls during creation pass every role and transfer policy.
    function _isPrivileged() internal view returns (bool) {
        return msg.sender == B20_FACTORY && !_ledger().open;
    }

    // --- roles ---

    function hasRole(bytes32 role, address account) public view live returns (bool) {
        return _ledger().roles[role][account];
    }

    function getRoleAdmin(bytes32 role) public view live returns (bytes32) {
        return _ledger().roleAdmins[role];
    }

    function grantRole(bytes32 role, address account) external live {
        _requireAdminOf(role);
        Ledger storage ledger = _ledger();
        if (ledger.roles[role][account]) return;
        ledger.roles[role][account] = true;
        if (role == 0) ledger.admins++;
        emit RoleGranted(role, account, msg.sender);
    }

    function revokeRole(bytes32 role, address account) external live {
        _requireAdminOf(role);
        _revoke(role, account);
    }

    function renounceRole(bytes32 role, address confirmation) external live {
        if (confirmation != msg.sender) revert AccessControlBadConfirmation();
        _revoke(role, msg.sender);
    }

    function renounceLastAdmin() external live {
        _requireRole(0);
        Ledger storage ledger = _ledger();
        if (ledger.admins != 1) revert NotSoleAdmin();
        ledger.admins = 0;
        ledger.roles[0][msg.sender] = false;
        emit RoleRevoked(0, msg.sender, msg.sender);
        emit LastAdminRenounced(msg.sender);
    }

    function setRoleAdmin(bytes32 role, bytes32 newAdminRole) external live {
        _requireAdminOf(role);
        emit RoleAdminChanged(role, _ledger().roleAdmins[role], newAdminRole);
        _ledger().roleAdmins[role] = newAdminRole;
    }

    function _revoke(bytes32 role, address account) private {
        Ledger storage ledger = _ledger();
        if (!ledger.roles[role][account]) return;
        if (role == 0) {
            if (ledger.admins == 1) revert LastAdminCannotRenounce();
            ledger.admins--;
        }
        ledger.roles[role][account] = false;
        emit RoleRevoked(role, account, msg.sender);
    }

    function _requireRole(bytes32 role) internal view {
        if (_isPrivileged() || _ledger().roles[role][msg.sender]) return;
        revert AccessControlUnauthorizedAccount(msg.sender, role);
    }

    /// Without a default admin no role can be granted or revoked, whatever its admin role is.
    function _requireAdminOf(bytes32 role) private view {
        if (_isPrivileged()) return;
        bytes32 admin = _ledger().roleAdmins[role];
        if (_ledger().admins > 0 && _ledger().roles[admin][msg.sender]) return;
        revert AccessControlUnauthorizedAccount(msg.sender, admin);
    }

    // --- pauses ---

    function isPaused(PausableFeature feature) public view live returns (bool) {
        return _ledger().paused & (1 << uint8(feature)) != 0;
    }

    function pause(PausableFeature[] calldata features) external live {
        _requireRole(PAUSE_ROLE);
        if (features.length == 0) revert EmptyFeatureSet();
        for (uint256 i; i < features.length; i++) _ledger().paused |= uint8(1 << uint8(features[i]));
        emit Paused(msg.sender, features);
    }

    function unpause(PausableFeature[] calldata features) external live {
        _requireRole(UNPAUSE_ROLE);
        if (features.length == 0) revert EmptyFeatureSet();
        for (uint256 i; i < features.length; i++) _ledger().paused &= ~uint8(1 << uint8(features[i]));
        emit Unpaused(msg.sender, features);
    }

    function _requireNotPaused(PausableFeature feature) internal view {
        if (isPaused(feature)) revert ContractPaused(feature);
    }

    // --- policies ---

    function policyId(bytes32 scope) public view live returns (uint64) {
        _requireScope(scope);
        return _ledger().policies[scope];
    }

    function updatePolicy(bytes32 scope, uint64 newPolicyId) external live {
        _requireRole(0);
        _requireScope(scope);
        if (!IPolicies(POLICY_REGISTRY).policyExists(newPolicyId)) revert PolicyNotFound(newPolicyId);
        emit PolicyUpdated(scope, _ledger().policies[scope], newPolicyId);
        _ledger().policies[scope] = newPolicyId;
    }

    function _requireScope(bytes32 scope) private pure {
        if (
            scope != TRANSFER_SENDER_POLICY && scope != TRANSFER_RECEIVER_POLICY && scope != TRANSFER_EXECUTOR_POLICY
                && scope != MINT_RECEIVER_POLICY && scope != SEIZE_EXEMPT_POLICY && scope != SEIZE_RECEIVER_POLICY
        ) revert UnsupportedPolicyType(scope);
    }

    function _allows(bytes32 scope, address account) internal view returns (bool) {
        return IPolicies(POLICY_REGISTRY).isAuthorized(_ledger().policies[scope], account);
    }

    function _requireAllowed(bytes32 scope, address account) internal view {
        if (!_allows(scope, account)) revert PolicyForbids(scope, _ledger().policies[scope]);
    }
}
