import { Center, Loader } from '@mantine/core';

/** Shown while something is loading. */
export function Loading() {
  return (
    <Center mih={240} role="status" aria-label="Loading">
      <Loader size="sm" />
    </Center>
  );
}
