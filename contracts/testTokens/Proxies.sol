// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BaseToken, TokenParams} from "./BaseToken.sol";

/// Implementation behind a proxy, initialized once by initialize().
contract ImplementationToken is BaseToken {
    bool private born;

    constructor() BaseToken(TokenParams("", "", 0, 0, address(0), address(0))) {
        born = true;
    }

    function initialize(TokenParams calldata params, address holder) external {
        require(!born, "already born");
        born = true;
        tokenName = params.name;
        tokenSymbol = params.symbol;
        tokenDecimals = params.decimals;
        _mint(holder, params.supply);
        _begun(holder);
    }

    function _begun(address holder) internal virtual {}
}

/// The powers of a regulated stablecoin's issuer: freeze a holder, pause, mint.
contract RegulatedImplementation is ImplementationToken {
    address public owner;
    bool public paused;
    mapping(address => bool) public isBlacklisted;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    function _begun(address holder) internal override {
        owner = holder;
    }

    function blacklist(address holder) external onlyOwner {
        isBlacklisted[holder] = true;
    }

    function unBlacklist(address holder) external onlyOwner {
        isBlacklisted[holder] = false;
    }

    function pause() external onlyOwner {
        paused = true;
    }

    function unpause() external onlyOwner {
        paused = false;
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!paused, "paused");
        require(!isBlacklisted[from] && !isBlacklisted[to], "blacklisted");
        _move(from, to, amount);
    }
}

/// Trading is disabled. The getter is only in the implementation, so a reader has to follow the proxy.
contract GatedImplementation is ImplementationToken {
    bool public tradingEnabled;
    mapping(address => bool) private team;

    function _begun(address holder) internal override {
        team[holder] = true;
    }

    function enableTrading() external {
        require(team[msg.sender], "not the team");
        tradingEnabled = true;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(tradingEnabled || team[from], "trading is not open");
        _move(from, to, amount);
    }
}

abstract contract Delegator {
    function _delegate(address target) internal {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    function _begin(address target, bytes memory data) internal {
        (bool ok,) = target.delegatecall(data);
        require(ok, "initialize failed");
    }
}

/// EIP-1967 proxy with implementation and admin in the standard slots.
contract SlotProxy is Delegator {
    bytes32 private constant IMPLEMENTATION = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    bytes32 private constant ADMIN = bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);

    constructor(address implementation, address admin, bytes memory data) {
        _store(IMPLEMENTATION, implementation);
        _store(ADMIN, admin);
        _begin(implementation, data);
    }

    function upgradeTo(address implementation) external {
        require(msg.sender == _load(ADMIN), "not the admin");
        _store(IMPLEMENTATION, implementation);
    }

    fallback() external payable {
        _delegate(_load(IMPLEMENTATION));
    }

    receive() external payable {}

    function _load(bytes32 slot) private view returns (address value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function _store(bytes32 slot, address value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}

contract Beacon {
    address public implementation;

    constructor(address implementation_) {
        implementation = implementation_;
    }
}

/// EIP-1967 beacon proxy: the beacon returns the implementation.
contract BeaconProxy is Delegator {
    bytes32 private constant BEACON = bytes32(uint256(keccak256("eip1967.proxy.beacon")) - 1);

    constructor(address beacon, bytes memory data) {
        bytes32 slot = BEACON;
        assembly ("memory-safe") {
            sstore(slot, beacon)
        }
        _begin(Beacon(beacon).implementation(), data);
    }

    fallback() external payable {
        bytes32 slot = BEACON;
        address beacon;
        assembly ("memory-safe") {
            beacon := sload(slot)
        }
        _delegate(Beacon(beacon).implementation());
    }

    receive() external payable {}
}

/// A small EIP-2535 diamond. Each selector has a facet, which the loupe functions return.
contract DiamondToken is Delegator {
    struct Facet {
        address facetAddress;
        bytes4[] functionSelectors;
    }

    /// A hashed slot, so that it does not collide with the facets' storage.
    struct Cut {
        mapping(bytes4 => address) facetOf;
        Facet[] all;
    }

    constructor(Facet[] memory cut, address beginner, bytes memory data) {
        Cut storage here = _cut();
        for (uint256 i = 0; i < cut.length; i++) {
            here.all.push(cut[i]);
            for (uint256 j = 0; j < cut[i].functionSelectors.length; j++) {
                here.facetOf[cut[i].functionSelectors[j]] = cut[i].facetAddress;
            }
        }
        _begin(beginner, data);
    }

    function facets() external view returns (Facet[] memory) {
        return _cut().all;
    }

    function facetAddresses() external view returns (address[] memory facetAddresses_) {
        Facet[] storage all = _cut().all;
        facetAddresses_ = new address[](all.length);
        for (uint256 i = 0; i < all.length; i++) facetAddresses_[i] = all[i].facetAddress;
    }

    function facetAddress(bytes4 selector) external view returns (address) {
        return _cut().facetOf[selector];
    }

    fallback() external payable {
        address facet = _cut().facetOf[msg.sig];
        require(facet != address(0), "no such function");
        _delegate(facet);
    }

    receive() external payable {}

    function _cut() private pure returns (Cut storage here) {
        bytes32 slot = keccak256("zoo.diamond.cut");
        assembly ("memory-safe") {
            here.slot := slot
        }
    }
}

/// A proxy with the implementation in a slot chosen at creation: EIP-1822, ZeppelinOS, the first slot, or another.
contract AnySlotProxy {
    bytes32 private immutable slot;

    constructor(bytes32 slot_, address implementation, bytes memory call) {
        slot = slot_;
        assembly {
            sstore(slot_, implementation)
        }
        (bool done,) = implementation.delegatecall(call);
        require(done, "initialization failed");
    }

    fallback() external payable {
        bytes32 at = slot;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(at), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
