// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// A wallet that buys and sells in one call, for nodes without `eth_simulateV1`.
contract RoundTripWallet {
    /// Buys and sells. A success also holds for other wallets. A failure does not: the trade may succeed for a wallet
    /// without code, or with the two steps in different blocks.
    /// @param router has the code of a stand-in
    /// @param row distance of the pool's row from the end of that code in bytes, see `StandIn`
    /// @param amount of the counter-asset to spend
    /// @return paid counter-asset spent
    /// @return nominal tokens sent, as the pool reports it
    /// @return received tokens received
    /// @return sold whether the sale succeeded
    /// @return sale the results of `sell`
    function roundTrip(address router, uint16 row, address token, uint256 amount)
        external
        payable
        returns (uint256 paid, uint256 nominal, uint256 received, bool sold, uint256[4] memory sale)
    {
        (bool ok, bytes memory result) =
            router.call{value: msg.value}(abi.encodePacked(StandIn.buy.selector, row, amount));
        if (!ok) revert();
        (paid, nominal, received) = abi.decode(result, (uint256, uint256, uint256));
        // Ignores the result: some tokens return none.
        (ok,) = token.call(abi.encodeCall(IApprovable.approve, (router, type(uint256).max)));
        (sold, result) = router.call(abi.encodePacked(StandIn.sell.selector, row, uint16(10_000)));
        if (sold) sale = abi.decode(result, (uint256[4]));
    }
}
