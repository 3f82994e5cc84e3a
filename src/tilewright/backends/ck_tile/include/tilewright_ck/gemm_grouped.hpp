// CK's grouped GEMM kernel with tilewright's arguments.
#pragma once

#include "tilewright_ck/gemm.hpp"

namespace tilewright_ck {

// The kernel argument: a product of all rows, where the groups of rows end, and how far their matrices of B are apart.
struct GroupedGemmArgs
{
    GemmArgs product;
    const int32_t* ends; // on the GPU: the host need not know how long the groups are
    int64_t far_b;       // in elements
    int32_t groups;
};
static_assert(sizeof(GroupedGemmArgs) == 176, "launchers outside C++ rely on this layout");

// A kernel that multiplies the rows of each group by a matrix of its own. It has no D operands.
//
// CK's call operators read a table of products with a first block each, which its host code makes from the lengths of
// the groups. Here every block makes the entry that it needs, in the same order of blocks. Blocks beyond the last tile
// have nothing to do: the grid is the largest that groups of so many rows can need.
template <typename CkKernel>
struct GroupedGemmInstance
{
    using Kernel = CkKernel;
    using Tiles = typename Kernel::TilePartitioner;
    using Universal = GemmInstance<typename Kernel::Base, 0>;
    static constexpr ck_tile::index_t kBlockSize = Kernel::kBlockSize;

    CK_TILE_DEVICE void operator()(GroupedGemmArgs x) const
    {
        const int32_t m = x.product.m, n = x.product.n;
        ck_tile::index_t block = ck_tile::get_block_1d_id();
        bool used = false; // this block has computed a tile before
        int32_t start = 0;
        for(int32_t g = 0; g < x.groups && start < m; g++)
        {
            // Whatever the ends are, no row outside of the matrices is touched.
            const int32_t end = ck_tile::amd_wave_read_first_lane(x.ends[g]);
            const int32_t stop = end < start ? start : end > m ? m : end;
            const int32_t tiles = Tiles::GridSize(stop - start, n), work = tiles * x.product.split_k;
            for(; block < work; block += Kernel::UsePersistentKernel ? ck_tile::get_grid_size() : work)
            {
                if(used)
                    ck_tile::block_sync_lds(); // slower waves still read the LDS of the last tile
                used = true;
                const auto args = Universal::convert(group(x, g, start, stop), std::index_sequence<>{});
                const auto tile = Kernel::OffsetTile1DPartitioner::GetOffsetedTileIndex(0, args.M, n, block % tiles);
                Kernel{}.Run(args, tile, block / tiles);
                if constexpr(!Kernel::UsePersistentKernel)
                    return;
            }
            block -= work;
            start = stop;
        }
    }

    CK_TILE_DEVICE static GemmArgs group(const GroupedGemmArgs& x, int32_t g, int32_t start, int32_t stop)
    {
        GemmArgs y = x.product;
        y.a = static_cast<const typename Kernel::ADataType*>(y.a) + int64_t(start) * y.stride_a;
        y.b = static_cast<const typename Kernel::BDataType*>(y.b) + int64_t(g) * x.far_b;
        y.out = static_cast<typename Kernel::CDataType*>(y.out) + int64_t(start) * y.stride_out;
        y.m = stop - start;
        return y;
    }
};

struct GroupedGemmHost {}; // tags the hosts of these kernels; entry_gemm_grouped.hpp knows how to launch them

// The most tiles along m that groups of m rows can have, each with at least one row in its last tile.
constexpr int64_t most_group_tiles(int64_t m, int64_t groups, int64_t tile_m)
{
    const int64_t used = groups < m ? groups : m, tiles = (m + used * (tile_m - 1)) / tile_m;
    return tiles < m ? tiles : m;
}

} // namespace tilewright_ck
