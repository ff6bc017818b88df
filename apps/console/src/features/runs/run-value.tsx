import { fileName, isJsonObject, type JsonValue, storedFileOf, type StoredFile } from '@deckhand/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, Eye } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { send } from '../../api/call.ts';
import { describeBytes } from '../../components/durations.ts';
import { JsonTree, type Picking } from '../../components/json-tree.tsx';
import { Loading } from '../../components/loading.tsx';
import { notifyProblem } from '../../components/notice-board.ts';
import { Problem } from '../../components/problem.tsx';
import { saveAs } from '../../components/save-as.ts';
import { i18n } from '../../language/i18n.ts';

/** Maximum number of files that are listed, and of values in which they are looked for. */
const MAX_FILES = 20;
const MAX_VALUES = 20_000;
/** Types that browsers show without running anything: SVG and HTML are not among them. */
const SHOWN_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
/** Maximum size of an image that is shown, in bytes. */
const MAX_SHOWN_BYTES = 10_485_760;

/** A value of a run as a tree, below the files that it names. @param label names the tree, for screen readers. */
export function RunValue({
  executionId,
  label,
  value,
  picking,
}: {
  executionId: string;
  label: string;
  value: JsonValue;
  picking?: Picking | undefined;
}) {
  const files = useMemo(() => filesIn(value), [value]);
  return (
    <Stack gap="xs">
      {files.length > 0 && (
        <Stack component="ul" gap="xs" m={0} p={0} aria-label={i18n.t('Files')} style={{ listStyle: 'none' }}>
          {files.map((file) => (
            <FileRow key={`${file.id} ${file.name}`} executionId={executionId} file={file} />
          ))}
        </Stack>
      )}
      <JsonTree label={label} value={value} picking={picking} />
    </Stack>
  );
}

function FileRow({ executionId, file }: { executionId: string; file: StoredFile }) {
  const [isShown, setShown] = useState(false);
  const name = fileName(file.name) || file.id;
  const download = useMutation({
    async mutationFn() {
      saveAs(name, await fetchFile(executionId, file));
    },
    onError: notifyProblem,
  });
  return (
    <li>
      <Group gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {file.contentType}, {describeBytes(file.bytes)}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<Download size={13} aria-hidden />}
          aria-label={i18n.t('Download {name}', { name })}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {i18n.t('Download')}
        </Button>
        {canShow(file) && (
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<Eye size={13} aria-hidden />}
            aria-label={i18n.t('Preview {name}', { name })}
            aria-expanded={isShown}
            onClick={() => setShown(!isShown)}
          >
            {i18n.t('Preview')}
          </Button>
        )}
      </Group>
      {isShown && <Picture executionId={executionId} file={file} name={name} />}
    </li>
  );
}

function Picture({ executionId, file, name }: { executionId: string; file: StoredFile; name: string }) {
  const content = useQuery({
    queryKey: ['file', executionId, file.id, file.contentType],
    queryFn: ({ signal }) => fetchFile(executionId, file, signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (content.isError) return <Problem error={content.error} />;
  return content.data ? <Image key={content.dataUpdatedAt} content={content.data} name={name} /> : <Loading />;
}

/** An image, whose URL lasts as long as it is shown. */
function Image({ content, name }: { content: Blob; name: string }) {
  const show = useCallback(
    (image: HTMLImageElement) => {
      const url = URL.createObjectURL(content);
      image.src = url;
      // React calls it when the image is removed.
      return () => URL.revokeObjectURL(url);
    },
    [content],
  );
  return <img ref={show} alt={name} style={{ display: 'block', maxWidth: '100%', maxHeight: 320, marginTop: 6 }} />;
}

async function fetchFile(executionId: string, { id, contentType }: StoredFile, signal?: AbortSignal): Promise<Blob> {
  const answer = await send('GET', `/api/executions/${executionId}/files/${id}`, { signal });
  const content = await answer.blob();
  return SHOWN_TYPES.has(contentType) ? content.slice(0, content.size, contentType) : content;
}

function canShow({ contentType, bytes }: StoredFile): boolean {
  return SHOWN_TYPES.has(contentType) && bytes <= MAX_SHOWN_BYTES;
}

/** Returns the different files that a value names, in their order, up to a limit. */
function filesIn(value: JsonValue): readonly StoredFile[] {
  const found = new Map<string, StoredFile>();
  let left = MAX_VALUES;
  const visit = (member: JsonValue): void => {
    left -= 1;
    if (left < 0 || found.size >= MAX_FILES || typeof member !== 'object' || member === null) return;
    const file = storedFileOf(member);
    if (file) found.set(`${file.id} ${file.name}`, file);
    else for (const inner of isJsonObject(member) ? Object.values(member) : member) visit(inner);
  };
  visit(value);
  return [...found.values()];
}
