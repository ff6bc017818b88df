import type { Scene } from './scene.ts';

/** Something that a tenant, a caller or a server that nodes call may do to harm others. */
export interface Attack {
  readonly name: string;
  /** The result for the attacker: "success", "failed CODE" of a run, or the status and code of a response. */
  readonly ends: string | RegExp;
  /** Attacks. @returns the result. */
  launch(scene: Scene): Promise<string>;
}
