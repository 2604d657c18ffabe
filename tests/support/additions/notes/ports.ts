export interface Note {
  text: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface NoteStore {
  add(note: Note): Promise<void>;
  /** Newest first. */
  list(): Promise<readonly Note[]>;
  /** Returns how many were deleted. */
  deleteBefore(timestamp: number): Promise<number>;
}
