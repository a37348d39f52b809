// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Finds the implementation contracts behind a token and reads their code. Calls are bounded in gas and returned bytes;
/// nothing here reverts.
contract CodeLens {
    /// Gas cap of one call.
    uint256 private constant CALL_GAS = 300_000;
    uint256 private constant MAX_FACETS = 24;
    uint256 private constant FIRST_SLOTS = 24;

    /// Reads the token's storage. A state override places this code at the token's address.
    /// @return proxy words of the slots of EIP-1967 (implementation, beacon, admin), EIP-1822 and ZeppelinOS
    /// @return first the first 24 words of storage
    /// @return accounts a bit for each word of `first` whose low 20 bytes are an address without code
    /// @return target address of the implementation; 0 = none
    /// @return code of the implementation
    function readStorage()
        external
        view
        returns (bytes32[5] memory proxy, bytes32[] memory first, uint256 accounts, address target, bytes memory code)
    {
        bytes32[5] memory slots = [
            bytes32(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc), // EIP-1967 implementation
            0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, // EIP-1967 beacon
            0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103, // EIP-1967 admin
            0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7, // EIP-1822 PROXIABLE
            0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3 // org.zeppelinos.proxy.implementation
        ];
        for (uint256 i; i < 5; i++) proxy[i] = _load(slots[i]);
        first = new bytes32[](FIRST_SLOTS);
        for (uint256 i; i < FIRST_SLOTS; i++) {
            first[i] = _load(bytes32(i));
            if (address(uint160(uint256(first[i]))).code.length == 0) accounts |= 1 << i;
        }
        target = _toAddress(proxy[0]);
        if (target == address(0) && _toAddress(proxy[1]) != address(0)) {
            target = _readAddress(_toAddress(proxy[1]), 0x5c60da1b); // implementation()
        }
        if (target == address(0)) target = _toAddress(proxy[3]);
        if (target == address(0)) target = _toAddress(proxy[4]);
        if (target != address(0)) code = target.code;
    }

    /// Reads the implementation of a token from outside: the target in a minimal proxy's code, else the result of
    /// `implementation()`, else the facets of a diamond (EIP-2535).
    /// @return targets addresses of the implementation contracts; empty if there is none
    /// @return codes their code
    function readBehind(address token) external view returns (address[] memory targets, bytes[] memory codes) {
        address single = _minimalTarget(token);
        if (single == address(0)) single = _readAddress(token, 0x5c60da1b); // implementation()
        if (single != address(0)) {
            targets = new address[](1);
            targets[0] = single;
        } else {
            targets = _readFacets(token);
        }
        codes = new bytes[](targets.length);
        for (uint256 i; i < targets.length; i++) codes[i] = targets[i].code;
    }

    /// The target of a minimal proxy: EIP-1167, 0xSplits's clone with 3d3d3d3d, and Solady's with PUSH0; 0 = no such
    /// proxy.
    function _minimalTarget(address token) private view returns (address) {
        if (token.code.length < 40 || token.code.length > 64) return address(0);
        uint256 head;
        uint256 shifted;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, 0)
            mstore(add(at, 32), 0)
            extcodecopy(token, at, 0, 64)
            head := mload(at)
            shifted := mload(add(at, 9))
        }
        if (head >> 176 == 0x363d3d373d3d3d363d73) return address(uint160(shifted >> 88));
        if (head >> 168 == 0x3d3d3d3d363d3d37363d73) return address(uint160(shifted >> 80));
        if (head >> 184 == 0x365f5f375f5f365f73) return address(uint160(shifted >> 96));
        return address(0);
    }

    /// The contract address that a call without arguments returns; 0 if there is none.
    function _readAddress(address target, bytes4 selector) private view returns (address answer) {
        if (target.code.length == 0) return address(0);
        assembly ("memory-safe") {
            mstore(0, selector)
            let ok := staticcall(CALL_GAS, target, 0, 4, 0, 32)
            if and(ok, eq(returndatasize(), 32)) { answer := mload(0) }
            if shr(160, answer) { answer := 0 }
        }
        if (answer.code.length == 0) return address(0);
    }

    /// `facetAddresses()` of EIP-2535, at most MAX_FACETS addresses.
    function _readFacets(address token) private view returns (address[] memory facets) {
        uint256[] memory words = new uint256[](MAX_FACETS + 2);
        uint256 size;
        assembly ("memory-safe") {
            mstore(0, shl(224, 0x52ef6b2c)) // facetAddresses()
            let maxSize := mul(add(MAX_FACETS, 2), 32)
            if staticcall(CALL_GAS, token, 0, 4, 0, 0) {
                size := returndatasize()
                if gt(size, maxSize) { size := maxSize }
                returndatacopy(add(words, 32), 0, size)
            }
        }
        if (size < 96 || words[0] != 32) return facets;
        uint256 count = words[1] < MAX_FACETS ? words[1] : MAX_FACETS;
        if (count > size / 32 - 2) count = size / 32 - 2;
        facets = new address[](count);
        for (uint256 i; i < count; i++) facets[i] = _toAddress(bytes32(words[i + 2]));
    }

    function _load(bytes32 slot) private view returns (bytes32 word) {
        assembly ("memory-safe") {
            word := sload(slot)
        }
    }

    /// A word with dirty upper bytes is no address.
    function _toAddress(bytes32 word) private pure returns (address) {
        return uint256(word) >> 160 == 0 ? address(uint160(uint256(word))) : address(0);
    }
}
