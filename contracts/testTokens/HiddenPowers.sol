// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, TokenParams} from "./BaseToken.sol";

/// Holders in a list cannot sell. How they get there differs.
abstract contract ListToken is OwnedToken {
    mapping(address => bool) internal listed;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal virtual override {
        require(!listed[from], "not now");
        _move(from, to, amount);
    }
}

/// The fallback lists a holder. No selector of the function is in the code.
contract FallbackListToken is ListToken {
    constructor(TokenParams memory params) ListToken(params) {}

    fallback() external {
        require(msg.sender == owner && keccak256(msg.data[:4]) == keccak256(abi.encodePacked(bytes4(~uint32(0x5ca1ab1e)))));
        listed[address(bytes20(msg.data[4:24]))] = true;
    }
}

/// The fallback lists a holder. It compares the selector after a change of its bits, so the selector is not in the code.
contract MaskedListToken is ListToken {
    constructor(TokenParams memory params) ListToken(params) {}

    fallback() external {
        uint256 changed;
        assembly {
            changed := xor(shr(224, calldataload(0)), 0x5eed5eed)
        }
        require(msg.sender == owner && changed == 0x0ddba115, "no such function");
        listed[address(bytes20(msg.data[4:24]))] = true;
    }
}

/// The code of the functions that `ExtendedToken` does not have. Same storage layout.
contract ListExtension is ListToken {
    constructor() ListToken(TokenParams("", "", 0, 0, address(0), address(0))) {}

    function setStatus(address holder) external onlyOwner {
        listed[holder] = true;
    }
}

/// Delegates unknown calls to another contract, although it is no proxy.
contract ExtendedToken is ListToken {
    address private extension;

    constructor(TokenParams memory params, address extension_) ListToken(params) {
        extension = extension_;
    }

    fallback() external {
        address target = extension;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/// Anyone can list a holder with a signature of the owner.
contract SignedListToken is ListToken {
    constructor(TokenParams memory params) ListToken(params) {}

    function submit(address holder, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 hash = keccak256(abi.encode(block.chainid, address(this), holder));
        require(owner != address(0) && ecrecover(hash, v, r, s) == owner, "no signature");
        listed[holder] = true;
    }
}

/// The owner chooses a contract that is asked about each sender. Any other answer than true allows the transfer.
contract SwitchedHookToken is OwnedToken {
    address private hook;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setHook(address hook_) external onlyOwner {
        hook = hook_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        (bool ok, bytes memory answer) = hook.staticcall(abi.encodeWithSignature("refuses(address)", from));
        require(!ok || answer.length != 32 || uint256(bytes32(answer)) != 1, "not now");
        _move(from, to, amount);
    }
}
