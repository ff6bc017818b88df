import { DockerfileParser, Env, type Instruction } from 'dockerfile-ast';
import { repositoryFile } from './repository-file.ts';

export const DOCKERFILE = 'infra/docker/Dockerfile';

/** A target of the Dockerfile, with what it takes over from the stages that it builds on. */
export interface Image {
  readonly user: string | undefined;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The program, with arguments, that checks the health of the container; undefined if there is none. */
  readonly healthcheck: readonly string[] | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Names of the stages that files are copied from. */
  readonly copiesFrom: readonly string[];
}

/** Reads one target. @throws Error when there is none of that name. */
export function readImage(target: string): Image {
  const stages = stagesOf(target);
  const instructions = stages.flatMap((stage) => stage.instructions);
  const ofKind = (keyword: string): Instruction[] =>
    instructions.filter((instruction) => instruction.getKeyword() === keyword);
  return {
    user: ofKind('USER').at(-1)?.getArgumentsContent() ?? undefined,
    command: words(ofKind('CMD').at(-1)?.getArgumentsContent()) ?? [],
    healthcheck: words(
      ofKind('HEALTHCHECK')
        .at(-1)
        ?.getArgumentsContent()
        ?.replace(/^.*?\bCMD\s*/s, ''),
    ),
    environment: Object.fromEntries(
      instructions
        .filter((instruction) => instruction instanceof Env)
        .flatMap((instruction) => instruction.getProperties())
        .map((property) => [property.getName(), property.getValue() ?? '']),
    ),
    copiesFrom: ofKind('COPY').flatMap((copy) => /--from=(\S+)/.exec(copy.getTextContent())?.[1] ?? []),
  };
}

interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** The Dockerfile's stages, in order. */
export function readStages(): readonly Stage[] {
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  for (const instruction of DockerfileParser.parse(repositoryFile(DOCKERFILE)).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const [from = '', , name = ''] = instruction.getArguments().map((argument) => argument.getValue());
      stages.push({ name, from, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push(instruction);
    }
  }
  return stages;
}

/** The stages that make up `target`, the one that all is built on first. */
function stagesOf(target: string): readonly Stage[] {
  const stages = readStages();
  const stage = stages.find(({ name }) => name === target);
  if (stage === undefined) throw new Error(`${DOCKERFILE} has no target ${target}`);
  return stages.some(({ name }) => name === stage.from) ? [...stagesOf(stage.from), stage] : [stage];
}

/** The words of an instruction in its JSON form, which needs no shell in the image. */
function words(content: string | null | undefined): readonly string[] | undefined {
  if (content === undefined || content === null) return undefined;
  const parsed: unknown = JSON.parse(content);
  if (!Array.isArray(parsed)) throw new Error(`not in the JSON form: ${content}`);
  return parsed.map(String);
}
