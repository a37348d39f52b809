// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BaseToken, TokenParams} from "./BaseToken.sol";
import {HookedKey, HookedSwap} from "./RefuseSalesHook.sol";

/// Stand-in for a token of Clanker: the predeploy of the Superchain bridge can mint and burn, as ERC-7802 requires.
contract BridgedToken is BaseToken {
    error Unauthorized();

    address internal constant SUPERCHAIN_TOKEN_BRIDGE = 0x4200000000000000000000000000000000000028;

    constructor(TokenParams memory params, address holder) BaseToken(params) {
        _transfer(msg.sender, holder, params.supply);
    }

    function crosschainMint(address to, uint256 amount) external {
        if (msg.sender != SUPERCHAIN_TOKEN_BRIDGE) revert Unauthorized();
        _mint(to, amount);
    }

    function crosschainBurn(address from, uint256 amount) external {
        if (msg.sender != SUPERCHAIN_TOKEN_BRIDGE) revert Unauthorized();
        balances[from] -= amount;
        supply -= amount;
        emit Transfer(from, address(0), amount);
    }
}

/// A v4 hook with the beforeSwap permission that refuses every swap before a block, as Clanker's block delay.
contract LockedHook {
    error Locked();

    uint256 public immutable fromBlock;

    constructor(uint256 fromBlock_) {
        fromBlock = fromBlock_;
    }

    function beforeSwap(address, HookedKey calldata, HookedSwap calldata, bytes calldata)
        external
        view
        returns (bytes4, int256, uint24)
    {
        if (block.number < fromBlock) revert Locked();
        return (this.beforeSwap.selector, 0, 0);
    }
}
