import { compileCheck, parseJson } from '@deckhand/contracts';
import type { LoopPosition } from '@deckhand/engine';
import Type from 'typebox';

const check = compileCheck(
  Type.Object({
    epoch: Type.Integer(),
    loops: Type.Array(
      Type.Object({
        nodeId: Type.String(),
        iteration: Type.String(),
        next: Type.Integer({ minimum: 0 }),
        open: Type.Array(Type.Integer({ minimum: 0 })),
      }),
    ),
  }),
);

/**
 * Serialises the positions of loops for a checkpoint of a claim; null without any. They name the epoch of the claim: a
 * worker of an earlier version may continue the run without writing positions, and those in the row are then outdated.
 */
export function writePositions(epoch: number, loops: readonly LoopPosition[]): string | null {
  return loops.length === 0 ? null : JSON.stringify({ epoch, loops });
}

/** Returns the positions of a run that was claimed in `epoch`; undefined if they are not those of the claim before. */
export function readPositions(text: string | null, epoch: number): readonly LoopPosition[] | undefined {
  if (text === null) return undefined;
  const checked = check(parseJson(text));
  return 'value' in checked && checked.value.epoch === epoch - 1 ? checked.value.loops : undefined;
}
