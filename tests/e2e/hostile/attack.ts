import type { Scene } from './scene.js';

/** Something that a tenant, a caller or a server that nodes call may do to hurt others. */
export interface Attack {
  readonly name: string;
  /** How it ends for the attacker: "success", "failed CODE" of a run, or the status and code of an answer. */
  readonly ends: string | RegExp;
  /** Attacks, and tells how it ended. */
  launch(scene: Scene): Promise<string>;
}
