// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";

/// Reads a token's decimals and supply, and the balances and allowances that it returns after a state override wrote
/// guessed storage slots. Each guess uses a different account, so that a returned value identifies the right slot.
contract FundingLens {
    /// No further account is read with less gas: the last read and the answer must not run out of gas.
    uint256 private constant MIN_GAS = 2_000_000;

    struct Funding {
        uint256 decimals; // above 255: unreadable
        uint256 supply; // 0: unreadable
        uint256[] balances; // 0: none, unreadable, or not read because of the gas
        uint256[] allowances; // as `balances`
    }

    /// @param holders accounts for which a balance was written
    /// @param owners accounts for which an allowance to `spender` was written
    function read(address token, address[] calldata holders, address[] calldata owners, address spender)
        external
        view
        returns (Funding memory funding)
    {
        (, bool ok, uint256 decimals) = readDecimals(token);
        funding.decimals = ok ? decimals : type(uint256).max;
        (, funding.supply) = readWord(token, 0x18160ddd, 0, 0); // totalSupply()
        funding.balances = new uint256[](holders.length);
        funding.allowances = new uint256[](owners.length);
        for (uint256 i; i < holders.length && gasleft() > MIN_GAS; i++) {
            (, funding.balances[i]) = readBalance(token, holders[i]);
        }
        for (uint256 i; i < owners.length && gasleft() > MIN_GAS; i++) {
            // allowance(address,address)
            (, funding.allowances[i]) =
                readWord(token, 0xdd62ed3e, uint256(uint160(owners[i])), uint256(uint160(spender)));
        }
    }
}
