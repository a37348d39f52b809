// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import "./B20Interfaces.sol";

/// Stand-in for the Activation Registry. Its admin is the account that the sandbox sets.
contract ActivationRegistry {
    error Unauthorized(address caller);

    mapping(bytes32 => bool) public isActivated;
    address public admin;

    function setUp(address admin_) external {
        require(admin == address(0));
        admin = admin_;
    }

    function activate(bytes32 feature) external {
        if (msg.sender != admin) revert Unauthorized(msg.sender);
        isActivated[feature] = true;
    }

    function deactivate(bytes32 feature) external {
        if (msg.sender != admin) revert Unauthorized(msg.sender);
        isActivated[feature] = false;
    }
}

/// Stand-in for the Policy Registry: lists, unions, intersections, and inverted ids.
contract PolicyRegistry {
    error Unauthorized();
    error PolicyNotFound();
    error IncompatiblePolicyType();
    error ZeroAddress();
    error NoPendingAdmin();
    error ChildPoliciesOutsideOfRange();
    error InvalidChildPolicy(uint64 childPolicyId);

    event PolicyCreated(uint64 indexed policyId, address indexed creator, PolicyType policyType);
    event PolicyAdminStaged(uint64 indexed policyId, address indexed currentAdmin, address indexed pendingAdmin);
    event PolicyAdminUpdated(uint64 indexed policyId, address indexed previousAdmin, address indexed newAdmin);
    event AllowlistUpdated(uint64 indexed policyId, address indexed updater, bool allowed, address[] accounts);
    event BlocklistUpdated(uint64 indexed policyId, address indexed updater, bool blocked, address[] accounts);
    event CompositePolicyUpdated(uint64 indexed policyId, address indexed updater, uint64[] childPolicyIds);

    uint64 private constant INVERTED = 1 << 63;
    uint64 private constant ALWAYS_BLOCK = (1 << 56) | 1;

    struct Policy {
        bool exists;
        address admin;
        address pending;
        uint64[] children;
        mapping(address => bool) members;
    }

    uint64 private _created;
    mapping(uint64 => Policy) private _policies;

    modifier activated() {
        if (!IActivations(ACTIVATION_REGISTRY).isActivated(FEATURE_POLICIES)) revert FeatureNotActivated(FEATURE_POLICIES);
        _;
    }

    modifier onlyAdmin(uint64 id) {
        if (!_policies[id].exists) revert PolicyNotFound();
        if (_policies[id].admin != msg.sender) revert Unauthorized();
        _;
    }

    // --- creation ---

    function createPolicy(address admin, PolicyType kind) external activated returns (uint64) {
        return _create(admin, kind, false);
    }

    function createPolicyWithAccounts(address admin, PolicyType kind, address[] calldata accounts)
        external
        activated
        returns (uint64 id)
    {
        id = _create(admin, kind, false);
        _setMembers(id, kind, true, accounts);
    }

    function createCompositePolicy(address admin, PolicyType kind, uint64[] calldata children)
        external
        activated
        returns (uint64 id)
    {
        id = _create(admin, kind, true);
        _setChildren(id, children);
    }

    function _create(address admin, PolicyType kind, bool composite) private returns (uint64 id) {
        if (admin == address(0)) revert ZeroAddress();
        if (composite != (uint8(kind) > 1)) revert IncompatiblePolicyType();
        id = (uint64(kind) << 56) | (2 + _created++);
        (_policies[id].exists, _policies[id].admin) = (true, admin);
        emit PolicyCreated(id, msg.sender, kind);
        emit PolicyAdminUpdated(id, address(0), admin);
    }

    // --- administration ---

    function stageUpdateAdmin(uint64 id, address newAdmin) external activated onlyAdmin(id) {
        _policies[id].pending = newAdmin;
        emit PolicyAdminStaged(id, msg.sender, newAdmin);
    }

    function finalizeUpdateAdmin(uint64 id) external activated {
        Policy storage policy = _policies[id];
        if (!policy.exists) revert PolicyNotFound();
        if (policy.pending == address(0)) revert NoPendingAdmin();
        if (policy.pending != msg.sender) revert Unauthorized();
        emit PolicyAdminUpdated(id, policy.admin, msg.sender);
        (policy.admin, policy.pending) = (msg.sender, address(0));
    }

    function renounceAdmin(uint64 id) external activated onlyAdmin(id) {
        emit PolicyAdminUpdated(id, msg.sender, address(0));
        (_policies[id].admin, _policies[id].pending) = (address(0), address(0));
    }

    function updateAllowlist(uint64 id, bool allowed, address[] calldata accounts) external activated onlyAdmin(id) {
        _setMembers(id, PolicyType.ALLOWLIST, allowed, accounts);
    }

    function updateBlocklist(uint64 id, bool blocked, address[] calldata accounts) external activated onlyAdmin(id) {
        _setMembers(id, PolicyType.BLOCKLIST, blocked, accounts);
    }

    function updateComposite(uint64 id, uint64[] calldata children) external activated onlyAdmin(id) {
        if (_typeOf(id) < 2) revert IncompatiblePolicyType();
        _setChildren(id, children);
    }

    function _setMembers(uint64 id, PolicyType kind, bool member, address[] calldata accounts) private {
        if (_typeOf(id) != uint8(kind)) revert IncompatiblePolicyType();
        for (uint256 i; i < accounts.length; i++) _policies[id].members[accounts[i]] = member;
        if (kind == PolicyType.ALLOWLIST) emit AllowlistUpdated(id, msg.sender, member, accounts);
        else emit BlocklistUpdated(id, msg.sender, member, accounts);
    }

    function _setChildren(uint64 id, uint64[] calldata children) private {
        if (children.length < 2 || children.length > 4) revert ChildPoliciesOutsideOfRange();
        for (uint256 i; i < children.length; i++) if (!policyExists(children[i])) revert PolicyNotFound();
        for (uint256 i; i < children.length; i++) {
            uint64 base = children[i] & ~INVERTED;
            if (_typeOf(base) > 1 || base == 0 || base == ALWAYS_BLOCK) revert InvalidChildPolicy(children[i]);
        }
        _policies[id].children = children;
        emit CompositePolicyUpdated(id, msg.sender, children);
    }

    // --- reads, never gated ---

    function isAuthorized(uint64 id, address account) public view returns (bool) {
        if (id & INVERTED != 0) {
            uint64 base = id & ~INVERTED;
            return policyExists(base) && !isAuthorized(base, account);
        }
        if (id == 0) return true;
        Policy storage policy = _policies[id];
        uint8 kind = _typeOf(id);
        if (kind == uint8(PolicyType.ALLOWLIST)) return policy.members[account];
        if (kind == uint8(PolicyType.BLOCKLIST)) return !policy.members[account];
        bool isUnion = kind == uint8(PolicyType.UNION);
        for (uint256 i; i < policy.children.length; i++) {
            if (isAuthorized(policy.children[i], account) == isUnion) return isUnion;
        }
        return policy.exists && !isUnion;
    }

    function policyExists(uint64 id) public view returns (bool) {
        id &= ~INVERTED;
        return id == 0 || id == ALWAYS_BLOCK || _policies[id].exists;
    }

    function policyAdmin(uint64 id) external view returns (address) {
        return _policies[id & ~INVERTED].admin;
    }

    function pendingPolicyAdmin(uint64 id) external view returns (address) {
        return _policies[id & ~INVERTED].pending;
    }

    function compositePolicyChildIds(uint64 id) external view returns (uint64[] memory) {
        return _policies[id & ~INVERTED].children;
    }

    function invertedPolicyId(uint64 id) external pure returns (uint64) {
        return id ^ INVERTED;
    }

    function _typeOf(uint64 id) private pure returns (uint8) {
        return uint8(id >> 56) & 0x7f;
    }
}
