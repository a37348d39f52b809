// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IRegistry {
    function registerPool(uint8 specialization) external returns (bytes32);
    function registerTokens(bytes32 id, address[] calldata tokens, address[] calldata managers) external;
}

/// A pool of Balancer's vault whose getters differ from what its swaps pay. It may replace the code of an honest pool, or
/// register itself. Its swaps follow equal weights and a fee of 5 %.
contract HostileWeightedPool {
    enum Fault {
        LiesInWeights,
        HidesFee,
        PaysHalf,
        BurnsSwap,
        BurnsReads,
        RevertsSwap,
        IsPaused
    }

    struct SwapRequest {
        uint8 kind;
        address tokenIn;
        address tokenOut;
        uint256 amount;
        bytes32 poolId;
        uint256 lastChangeBlock;
        address from;
        address to;
        bytes userData;
    }

    address public constant getVault = 0xBA12222222228d8Ba445958a75a0704d566BF2C8;
    Fault private immutable fault;
    bytes32 public getPoolId;

    constructor(Fault fault_, bytes32 id) {
        fault = fault_;
        getPoolId = id;
    }

    function register(IRegistry vault, address[] calldata tokens) external {
        getPoolId = vault.registerPool(1);
        vault.registerTokens(getPoolId, tokens, new address[](tokens.length));
    }

    function getNormalizedWeights() external view returns (uint256[] memory weights) {
        weights = new uint256[](2);
        (weights[0], weights[1]) = fault == Fault.LiesInWeights ? (0.99e18, 0.01e18) : (0.5e18, 0.5e18);
    }

    function getSwapFeePercentage() external view returns (uint256) {
        if (fault == Fault.BurnsReads) _burn();
        return fault == Fault.HidesFee ? 0 : 0.05e18;
    }

    function getPausedState() external view returns (bool, uint256, uint256) {
        if (fault == Fault.BurnsReads) _burn();
        return (fault == Fault.IsPaused, 0, 0);
    }

    function onJoinPool(bytes32, address, address, uint256[] calldata, uint256, uint256, bytes calldata data)
        external
        pure
        returns (uint256[] memory amounts, uint256[] memory fees)
    {
        (, amounts) = abi.decode(data, (uint256, uint256[]));
        fees = new uint256[](amounts.length);
    }

    function onSwap(SwapRequest calldata request, uint256 held, uint256 heldOut) external view returns (uint256) {
        if (fault == Fault.BurnsSwap) _burn();
        require(fault != Fault.RevertsSwap && fault != Fault.IsPaused);
        uint256 amount = request.amount * 95 / 100;
        uint256 paid = heldOut * amount / (held + amount);
        return fault == Fault.PaysHalf ? paid / 2 : paid;
    }

    function _burn() private pure {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

/// A rate provider, from which a weighted pool can read a token's rate.
contract RateProvider {
    function getRate() external pure returns (uint256) {
        return 1.37e18;
    }
}
