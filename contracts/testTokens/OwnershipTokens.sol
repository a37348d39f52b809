// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PooledToken, TokenParams} from "./BaseToken.sol";

/// owner() returns zero, but a second wallet can still mint and block all sales.
contract HiddenOwnerToken is OwnedToken {
    address private keeper;
    bool private shut;

    constructor(TokenParams memory params, address keeper_) OwnedToken(params) {
        keeper = keeper_;
        owner = address(0);
    }

    function tidy(bool shut_) external {
        require(msg.sender == keeper, "not for you");
        shut = shut_;
    }

    function rebalance(uint256 amount) external {
        require(msg.sender == keeper, "not for you");
        _mint(keeper, amount);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!shut || !_isSale(from, to), "shut");
        _move(from, to, amount);
    }
}

/// Ownership was renounced. The owner could block holders; no account can do so any more.
contract RenouncedToken is OwnedToken {
    mapping(address => bool) public isBlacklisted;

    constructor(TokenParams memory params) OwnedToken(params) {
        owner = address(0);
    }

    function blacklist(address holder, bool value) external onlyOwner {
        isBlacklisted[holder] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!isBlacklisted[from], "blacklisted");
        _move(from, to, amount);
    }
}

/// Ownership was renounced. The deployer, whose address is in the code and in events, can still block holders.
contract DeployerListToken is OwnedToken {
    mapping(address => bool) private listed;

    constructor(TokenParams memory params) OwnedToken(params) {
        emit OwnershipTransferred(address(0), msg.sender);
        emit OwnershipTransferred(msg.sender, address(0));
        owner = address(0);
    }

    function review(address holder, bool value) external {
        require(msg.sender == deployer, "not for you");
        listed[holder] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!listed[from], "listed");
        _move(from, to, amount);
    }
}

/// Renounced after four owners. The function accepts calls of any account, but only those of the last owner have an effect.
contract SuccessionToken is OwnedToken {
    mapping(address => bool) private listed;
    mapping(address => bool) private trusted;

    constructor(TokenParams memory params, address lastOwner) OwnedToken(params) {
        address from;
        for (uint160 i = 0; i < 3; i++) {
            address to = address(uint160(lastOwner) ^ (i + 1));
            emit OwnershipTransferred(from, to);
            from = to;
        }
        emit OwnershipTransferred(from, lastOwner);
        emit OwnershipTransferred(lastOwner, address(0));
        owner = address(0);
        trusted[lastOwner] = true;
    }

    function note(address holder, bool value) external {
        if (trusted[msg.sender]) listed[holder] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!listed[from], "listed");
        _move(from, to, amount);
    }
}

/// Has roles instead of an owner, as in OpenZeppelin's AccessControl. Their holders can mint or stop all transfers.
contract RoleToken is PooledToken {
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);

    bytes32 private constant MINTER = keccak256("MINTER_ROLE");
    bytes32 private constant PAUSER = keccak256("PAUSER_ROLE");
    mapping(bytes32 => mapping(address => bool)) public hasRole;
    bool private stopped;

    constructor(TokenParams memory params) PooledToken(params) {
        _grant(0, msg.sender);
        _grant(MINTER, msg.sender);
        _grant(PAUSER, msg.sender);
    }

    function grantRole(bytes32 role, address account) external {
        require(hasRole[0][msg.sender], "no admin");
        _grant(role, account);
    }

    function issue(address to, uint256 amount) external {
        require(hasRole[MINTER][msg.sender], "no minter");
        _mint(to, amount);
    }

    function halt() external {
        require(hasRole[PAUSER][msg.sender], "no pauser");
        stopped = true;
    }

    function _grant(bytes32 role, address account) private {
        hasRole[role][account] = true;
        emit RoleGranted(role, account, msg.sender);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!stopped || _isTeam(from, to), "stopped");
        _move(from, to, amount);
    }
}
